-- The number of a status in seats.status. Nothing else in SQL maps names to numbers; in TypeScript src/seatStatus.ts does.
-- The planner replaces a call by its number, so plans are the same as with the number. An unknown name is an error, as
-- invalid input for an integer.
create function seat_status(p_name text) returns smallint
language sql immutable parallel safe
as $$
  select case p_name
    when 'AVAILABLE' then 0
    when 'HELD' then 1
    when 'SOLD' then 2
    when 'NOT_FOR_SALE' then 3
    else p_name::int
  end::smallint;
$$;

-- The number that stands for a status in seats.status: the one place in SQL where numbers and names meet. In TypeScript:
-- src/seatStatus.ts. The planner replaces a call by its number, so a statement reads as it would with the number; an
-- unknown name fails there, as invalid input for an integer.
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

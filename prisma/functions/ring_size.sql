-- The number of seats of the closed row that a row place is in; 0 in any other row. In a closed row the last seat is beside the
-- first, and places begin above 65,536 times the number of its seats: the place says it without another column.
create function ring_size(p_place int) returns int language sql immutable parallel safe as $$
  select p_place / 65536
$$;

-- The row place on one side of a seat: in a closed row the last one is before the first. See ring_size.
create function place_before(p_place int) returns int
language sql immutable parallel safe
as $$
  select case when p_place > 65536 and p_place % 65536 = 1 then p_place + p_place / 65536 - 1 else p_place - 1 end;
$$;

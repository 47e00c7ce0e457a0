-- The row place on the other side of a seat: in a closed row the first one is after the last. See ring_size.
create function place_after(p_place int) returns int
language sql immutable parallel safe
as $$
  select case when p_place > 65536 and p_place % 65536 = p_place / 65536
    then p_place - p_place / 65536 + 1 else p_place + 1 end;
$$;

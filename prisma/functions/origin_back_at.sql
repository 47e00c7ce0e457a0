-- When live holds from a device or an address with p_seats seats or more will have run out, if none of them is extended. One of
-- the two digests is null. Null where all of them together have fewer.
create function origin_back_at(p_event text, p_device bytea, p_address bytea, p_seats int) returns timestamptz
language sql stable
as $$
  select min(x.expires_at)
  from (
    select h.expires_at, sum(h.quantity) over (order by h.expires_at) as freed
    from holds h
    where h.event_id = p_event and (h.device = p_device or h.address = p_address)
      and h.ended_at is null and h.expires_at > (select sale_clock())
  ) x
  where x.freed >= p_seats;
$$;

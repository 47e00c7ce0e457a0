-- When live holds from a device or an address with p_seats seats or more will have run out, if none of them is extended. One of
-- the two digests is null. Null where all of them together have fewer.
--
-- Only live holds have an origin: see check_origin.sql.
create function origin_back_at(p_event text, p_device bytea, p_address bytea, p_seats int) returns timestamptz
language sql stable
as $$
  select min(x.expires_at)
  from (
    select o.expires_at, sum(o.quantity) over (order by o.expires_at) as freed
    from (
      select h.expires_at, h.quantity from holds h where h.event_id = p_event and h.device = p_device
      union all
      select h.expires_at, h.quantity from holds h where h.event_id = p_event and h.address = p_address
    ) o
    where o.expires_at > (select sale_clock())
  ) x
  where x.freed >= p_seats;
$$;

-- The advisory locks under which the limits of an origin, a device or an address, are checked. Lane 0 is the device's only one.
create function origin_lock(p_event text, p_origin bytea, p_lane int) returns bigint
language sql immutable
as $$
  select hashtextextended(p_event || ' ' || encode(p_origin, 'hex'), p_lane);
$$;

-- The advisory lock of an event's waitlist. Offers take it alone. Entries that join, and functions that bring seats back, share
-- it. So an offer sees every entry before it in the order of joining, and the sale opens again only where no seat has come
-- back that the offer did not see.
create function waitlist_lock(p_event text) returns bigint
language sql immutable
as $$
  select hashtextextended(p_event, 1);
$$;

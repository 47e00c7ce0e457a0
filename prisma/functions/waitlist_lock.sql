-- The advisory lock of an event's waitlist. Offers take it alone; who joins, and whatever brings seats back, share it.
-- So an offer sees every entry before it in the order of joining, and the sale is opened again only where nothing has
-- come back that the offer did not look at.
create function waitlist_lock(p_event text) returns bigint
language sql immutable
as $$
  select hashtextextended(p_event, 1);
$$;

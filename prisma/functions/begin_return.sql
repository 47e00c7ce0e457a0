-- Called first by each function that brings back seats that were sold, blocked or held: has offerWaitlist run for them. No
-- ordinary hold gets a seat that a waiting entry needs before that: see waitlist_wants.sql.
--
-- It comes before any other lock: an offer that waits for this one holds none. An offer that opens the sale has so seen each
-- seat whose return was under way.
create function begin_return(p_event text) returns void
language plpgsql
as $$
begin
  perform pg_advisory_xact_lock_shared(waitlist_lock(p_event));
  perform nudge_waitlist(p_event);
end;
$$;

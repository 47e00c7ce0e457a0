-- Called first by each function that brings back seats that were sold, blocked or held. While entries wait, those seats are the
-- waitlist's from the same commit on, until an offer has checked whether the free seats fit an entry. Seats that come back by
-- time alone: see write_hold.
--
-- It comes before any other lock: an offer that waits for this one holds none.
create function begin_return(p_event text) returns void
language plpgsql
as $$
begin
  perform pg_advisory_xact_lock_shared(waitlist_lock(p_event));
  if exists (select from waitlist_entries w where w.event_id = p_event and w.state = 'WAITING') then
    update sales s set waitlist_only = true where s.event_id = p_event and not s.waitlist_only;
  end if;
  perform nudge_waitlist(p_event);
end;
$$;

-- Called first by whatever brings seats back that were sold, blocked or held: while somebody waits, they are the waitlist's
-- from the same commit on, until an offer has looked whether what is free now fits. What comes back by time alone:
-- see write_hold. Before any other lock: the offer that waits for this one holds none.
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

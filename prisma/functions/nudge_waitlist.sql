-- Has offerWaitlist run soon, through the outbox: where the sale is the waitlist's, since an offer may have ended; and where
-- entries wait, since one that was passed over may fit the free seats now. offerWaitlist runs every 2 s anyway.
create function nudge_waitlist(p_event text) returns void
language plpgsql
as $$
begin
  if exists (select from sales s where s.event_id = p_event and s.waitlist_only)
    or exists (select from waitlist_entries w where w.event_id = p_event and w.state = 'WAITING')
  then
    insert into outbox (job, data) values ('offerWaitlist', jsonb_build_object('eventId', p_event));
  end if;
end;
$$;

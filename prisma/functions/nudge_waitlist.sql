-- Has the waitlist looked at, where the sale is the waitlist's, for an offer may have come to its end; and where somebody
-- waits who was passed over, for what is free may be enough now.
-- offerWaitlist comes by every 2 s anyway.
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

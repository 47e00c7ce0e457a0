-- Writes down why entries that wait do not get what is free: those before number p_before, to whom it is offered; all of
-- them where it goes on sale again. p_limited: those that it would fit, were it not for their accounts' ticket limit.
-- An entry keeps its reason, and the time since when, until it is another one: thousands may be passed over each time.
create function pass_over(p_event text, p_before bigint, p_limited text[]) returns void
language sql volatile
as $$
  update waitlist_entries w
    set passed_over = r.reason, passed_over_at = now()
    from waitlist_entries x
    cross join lateral (
      select case when x.id = any (p_limited) then 'TICKET_LIMIT' else 'TOO_FEW_BACK' end as reason
    ) r
    where x.event_id = p_event and x.state = 'WAITING' and (p_before is null or x.no < p_before)
      and x.passed_over is distinct from r.reason
      and w.event_id = x.event_id and w.id = x.id and w.state = 'WAITING';
$$;

-- Writes down why entries that wait do not get what is free: those before number p_before, to whom it is offered; all of
-- them where it goes on sale again. p_limited: those that it would fit, were it not for their accounts' ticket limit.
-- An entry keeps its reason, and the time since when, until it is another one.
--
-- Up to 5,000 at a time, for whoever joins or brings seats back waits meanwhile (100,000 took 5 s). True where that was
-- all of them; else to be called again, before anything is offered.
create function pass_over(p_event text, p_before bigint, p_limited text[]) returns boolean
language plpgsql
as $$
declare
  v_count int;
begin
  update waitlist_entries w
    set passed_over = case when w.id = any (p_limited) then 'TICKET_LIMIT' else 'TOO_FEW_BACK' end,
      passed_over_at = now()
    where w.event_id = p_event and w.id = any (array(
      select x.id
      from waitlist_entries x
      where x.event_id = p_event and x.state = 'WAITING' and x.no < coalesce(p_before, 9223372036854775807)
        and x.passed_over is distinct from
          case when x.id = any (p_limited) then 'TICKET_LIMIT' else 'TOO_FEW_BACK' end
      limit 5000));
  get diagnostics v_count = row_count;
  return v_count < 5000;
end;
$$;

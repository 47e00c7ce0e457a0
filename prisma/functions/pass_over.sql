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
  v_last bigint;
begin
  select count(*), max(x.no)
    into v_count, v_last
    from (
      select w.no
      from waitlist_entries w
      where w.event_id = p_event and w.state = 'WAITING' and w.no < coalesce(p_before, 9223372036854775807)
        and w.passed_over is distinct from
          case when w.id = any (p_limited) then 'TICKET_LIMIT' else 'TOO_FEW_BACK' end
      order by w.no
      limit 5000
    ) x;
  -- By numbers and not by ids: a planner that knows nothing of the table yet compares each with each.
  update waitlist_entries w
    set passed_over = case when w.id = any (p_limited) then 'TICKET_LIMIT' else 'TOO_FEW_BACK' end,
      -- Not now(), which is from before the wait for the lock.
      passed_over_at = clock_timestamp()
    where w.event_id = p_event and w.state = 'WAITING' and w.no <= v_last
      and w.passed_over is distinct from
        case when w.id = any (p_limited) then 'TICKET_LIMIT' else 'TOO_FEW_BACK' end;
  return v_count < 5000;
end;
$$;

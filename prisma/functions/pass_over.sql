-- Writes down why waiting entries do not get the free seats: the entries before number p_before, which gets the offer; or all of
-- them, where the seats go on sale again. An entry keeps its reason and the time of it until the reason changes.
--
-- p_limited: the entries that the seats would fit, were it not for their accounts' ticket limit
--
-- Up to 5,000 at a time, since entries that join and seats that come back wait meanwhile. Returns whether that was all of
-- them; if not, the caller calls again before it offers a seat.
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
  -- By numbers and not by ids: a planner without statistics of the table compares each with each.
  update waitlist_entries w
    set passed_over = case when w.id = any (p_limited) then 'TICKET_LIMIT' else 'TOO_FEW_BACK' end,
      -- now() is from before the wait for the lock.
      passed_over_at = clock_timestamp()
    where w.event_id = p_event and w.state = 'WAITING' and w.no <= v_last
      and w.passed_over is distinct from
        case when w.id = any (p_limited) then 'TICKET_LIMIT' else 'TOO_FEW_BACK' end;
  return v_count < 5000;
end;
$$;

-- Ends the entries whose offer ended, bought or not: of one account, or of all where p_account is null. Returns their ids.
--
-- Rows are locked in the order of joining, so that calls that run at the same time wait in one order.
create function settle_offer(p_event text, p_account text default null) returns text[]
language plpgsql
as $$
declare
  v_ids text[] := array(
    select w.id
    from waitlist_entries w
    where w.event_id = p_event and w.state = 'OFFERED' and (p_account is null or w.account_id = p_account)
      and exists (
        select from holds h where h.event_id = w.event_id and h.id = w.hold_id and h.outcome is not null)
    order by w.no
    for no key update);
  v_settled text[];
begin
  if cardinality(v_ids) = 0 then
    return null;
  end if;
  with settled as (
    update waitlist_entries w
      set state = case h.outcome when 'SOLD' then 'FULFILLED' else 'LAPSED' end, ended_at = h.ended_at, email = null
      from holds h
      where w.event_id = p_event and w.id = any (v_ids) and w.state = 'OFFERED'
        and h.event_id = w.event_id and h.id = w.hold_id
      returning w.id
  )
  select array_agg(s.id) into v_settled from settled s;
  return v_settled;
end;
$$;

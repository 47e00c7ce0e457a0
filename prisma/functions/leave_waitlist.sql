-- Takes an account's entry off the waitlist, and ends its offer.
--
-- outcome             left; over: it was over before; in_checkout: an order is paying for the offer, and nothing changed;
--                     not_found
-- hold_id             the offer that was ended
-- freed, revisions    the seats of that offer, with their new revisions
--
-- Lock order: the waitlist, the entry, then hold and seats.
create function leave_waitlist(
  p_event text,
  p_entry text,
  p_account text,
  out outcome text,
  out hold_id text,
  out freed int[],
  out revisions int[]
)
language plpgsql
as $$
declare
  v_entry record;
  v_released record;
begin
  perform pg_advisory_xact_lock_shared(waitlist_lock(p_event));
  select w.state, w.hold_id
    into v_entry
    from waitlist_entries w
    where w.event_id = p_event and w.id = p_entry and w.account_id = p_account
    for no key update;
  if not found then
    outcome := 'not_found';
    return;
  end if;
  outcome := 'over';
  if v_entry.state = 'OFFERED' then
    v_released := release_hold(p_event, v_entry.hold_id, p_account);
    if v_released.outcome = 'in_checkout' then
      outcome := 'in_checkout';
      return;
    end if;
    hold_id := v_entry.hold_id;
    freed := v_released.freed;
    revisions := v_released.revisions;
    -- Once the caller has its answer, no crash may bring the entry back.
    set local synchronous_commit to default;
    if v_released.outcome = 'over' then
      perform settle_offer(p_event, p_account);
      return;
    end if;
  elsif v_entry.state <> 'WAITING' then
    return;
  end if;
  update waitlist_entries w
    set state = 'LEFT', ended_at = now(), email = null
    where w.event_id = p_event and w.id = p_entry;
  outcome := 'left';
  -- It may have been the last entry that waited.
  perform nudge_waitlist(p_event);
end;
$$;

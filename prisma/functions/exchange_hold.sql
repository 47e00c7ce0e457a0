-- Replaces an account's live hold by a new one, in one step: the new selection may contain seats of the old hold. Where the new hold
-- is refused, the old one stays as it was, with its seats and its time.
--
-- answer            what hold_seats returns, and
--   hold_not_found  the account has no such hold, or it is over
--   in_checkout     an order is paying for the old hold
-- freed, revisions  the seats of the old hold that are available now; null unless held
--
-- p_old       the hold to replace
-- p_seats     named seats, with p_wheelchair_seats; null for a quantity
-- p_together  best available; null for general admission in p_section
--
-- The new hold ends when the old one would have ended, and the bounds on its time carry over: the minute after a declined card,
-- the minutes of outages, and the time of all payments. Otherwise a fan could keep seats for ever by exchanging them.
--
-- The release and the hold run in a subtransaction: a refusal undoes both, and frees their locks. Lock order: the waitlist and the
-- old hold, as release_hold; then the locks of a hold, for which an exchange never waits. So no two calls wait in a circle.
create function exchange_hold(
  p_event text,
  p_account text,
  p_key text,
  p_input_hash text,
  p_hold text,
  p_arrival int,
  p_place int,
  p_device bytea,
  p_old text,
  p_seats int[],
  p_wheelchair_seats int[],
  p_section smallint,
  p_level smallint,
  p_quantity int,
  p_together boolean,
  p_address bytea,
  out answer hold_answer,
  out freed int[],
  out revisions int[]
)
language plpgsql
as $$
declare
  v_old record;
begin
  begin
    v_old := release_hold(p_event, p_old, p_account);
    -- A retry finds the old hold released by its first attempt, so the key counts before the old hold's state.
    if v_old.outcome <> 'released' and not exists (
      select from holds h where h.event_id = p_event and h.account_id = p_account and h.idempotency_key = p_key)
    then
      answer.outcome := case v_old.outcome when 'in_checkout' then 'in_checkout' else 'hold_not_found' end;
    elsif p_seats is not null then
      answer := hold_seats(
        p_event, p_account, p_key, p_input_hash, p_hold, p_arrival, p_place, p_device, false, p_seats,
        p_wheelchair_seats, p_address);
    elsif p_together is not null then
      answer := hold_best(
        p_event, p_account, p_key, p_input_hash, p_hold, p_arrival, p_place, p_device, false, p_section, p_level,
        p_quantity, p_together, 0, true, p_address);
    else
      answer := hold_general_admission(
        p_event, p_account, p_key, p_input_hash, p_hold, p_arrival, p_place, p_device, false, p_section, p_quantity,
        true, p_address);
    end if;
    if answer.outcome <> 'held' then
      raise sqlstate 'FG001';
    end if;

    answer.expires_at := v_old.expires_at;
    update holds h
      set expires_at = v_old.expires_at, extended_at = o.extended_at, outage_until = o.outage_until,
        outage_seconds = o.outage_seconds,
        payments_from = least(o.payments_from, (
          select min(x.placed_at) from orders x
          where x.event_id = p_event and x.account_id = p_account and x.hold_id = p_old))
      from holds o
      where h.event_id = p_event and h.id = p_hold and o.event_id = p_event and o.id = p_old;
    update seats s
      set held_until = v_old.expires_at
      where s.event_id = p_event and s.hold_id = p_hold and s.no = any (answer.seat_nos);
    -- A seat of both holds was never free for another transaction.
    select array_agg(f.no order by f.no), array_agg(f.revision order by f.no)
      into freed, revisions
      from unnest(v_old.freed, v_old.revisions) f (no, revision)
      where f.no <> all (answer.seat_nos);
  exception when sqlstate 'FG001' then
    null;
  end;
end;
$$;

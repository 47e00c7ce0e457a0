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
-- p_from_row  best available: as hold_best's
-- p_look      best available: false: return `unseen` where the gates let the hold pass. See hold_best
-- p_seen      best available: fewer than p_quantity, what see_best returned a moment ago, and so without the seats of the old hold.
--             Then only those can make it enough, and of the other rows none is read again. Null for a search of all rows
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
  p_from_row int,
  p_look boolean,
  p_seen int,
  out answer hold_answer,
  out freed int[],
  out revisions int[]
)
language plpgsql
as $$
declare
  v_old record;
  v_first_row int := p_from_row;
  v_last_row int;
  v_look boolean := p_look;
  v_most int;
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
      if p_seen is not null then
        select coalesce(min(s.row_no), 0), coalesce(max(s.row_no), 0), p_seen + count(*) filter (
            where (p_section is null or s.section_no = p_section) and (p_level is null or s.level_no = p_level)
              and s.row_no is not null and not s.wheelchair and s.companion_of is null)
          into v_first_row, v_last_row, v_most
          from seats s
          where s.event_id = p_event and s.no = any (v_old.freed);
        v_look := p_look and (p_together or v_most >= p_quantity);
      end if;
      answer := hold_best(
        p_event, p_account, p_key, p_input_hash, p_hold, p_arrival, p_place, p_device, false, p_section, p_level,
        p_quantity, p_together, v_first_row, v_look, p_address, v_last_row);
      if p_seen is not null and answer.outcome = 'not_enough' then
        answer.available := greatest(answer.available, p_seen);
      elsif p_look and answer.outcome = 'unseen' then
        answer.outcome := 'not_enough';
        answer.available := v_most;
      end if;
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

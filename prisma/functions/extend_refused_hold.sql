-- Extends a hold whose checkout was refused because the payment provider is busy or down, by the time that this costs the hold: the
-- wait until the next attempt, p_retry_seconds from now. The time from the end of the last such wait to this call counts as well,
-- where the call came within a minute of it: the same outage. So a fan who retries as asked keeps the time that they had at
-- the first refusal, and a double call adds nothing.
--
-- At least a minute is left after the wait. All outages add ten minutes at most to a hold. A hold that is over is not extended:
-- another fan may have its seats. While an order is PAYING for the hold, the hold's own time is extended, which it gets back if
-- another card replaces that payment.
--
-- expires_at            the new end; null where the hold was not extended
-- seat_nos, revisions   its seats, with their new revisions
--
-- Lock order: hold, then seats in seat order, then the admission, which follows as in write_hold.
create function extend_refused_hold(
  p_event text,
  p_hold text,
  p_account text,
  p_retry_seconds float8,
  out expires_at timestamptz,
  out seat_nos int[],
  out revisions int[]
) language plpgsql
set enable_seqscan = off
as $$
#variable_conflict use_column
declare
  v_hold holds%rowtype;
  v_seats int[];
  v_now timestamptz;
  v_clock timestamptz;
  v_own_end timestamptz;
  v_wait_end timestamptz;
  v_since timestamptz;
  v_seconds float8;
begin
  select * into v_hold
    from holds h
    where h.event_id = p_event and h.id = p_hold and h.account_id = p_account and h.outcome is null
    for no key update;
  if not found then
    return;
  end if;
  -- now() is from before the wait for the lock.
  v_now := clock_timestamp();
  v_clock := sale_clock(v_now);
  v_own_end := coalesce(v_hold.unpaid_until, v_hold.expires_at);
  if v_own_end <= v_clock then
    return;
  end if;

  v_wait_end := v_now + make_interval(secs => p_retry_seconds);
  v_since := case when v_hold.outage_until > v_now - interval '1 minute' then v_hold.outage_until else v_now end;
  v_seconds := least(
    greatest(
      extract(epoch from v_wait_end - v_since),
      extract(epoch from v_wait_end + interval '1 minute' - v_own_end)),
    600 - coalesce(v_hold.outage_seconds, 0));
  -- Less is a second call of the same moment.
  if v_seconds < 1 then
    return;
  end if;
  -- As for the hold itself: a crash may lose it.
  perform set_config('synchronous_commit', 'off', true);

  v_seats := lock_own_seats(p_event, p_hold);
  v_own_end := v_own_end + make_interval(secs => v_seconds);
  expires_at := greatest(v_hold.expires_at, v_own_end);
  update holds h
    set expires_at = extend_refused_hold.expires_at,
      unpaid_until = case when h.unpaid_until is not null then v_own_end end, outage_until = greatest(v_hold.outage_until, v_wait_end),
      outage_seconds = least(coalesce(v_hold.outage_seconds, 0) + v_seconds, 600)
    where h.event_id = p_event and h.id = p_hold;
  with extended as (
    update seats s
      set held_until = extend_refused_hold.expires_at, revision = s.revision + 1
      where s.event_id = p_event and s.no = any (v_seats) and s.hold_id = p_hold
      returning s.no, s.revision
  )
  select array_agg(e.no order by e.no), array_agg(e.revision order by e.no) into seat_nos, revisions
    from extended e;
  update admissions a
    set expires_at = v_own_end
    where a.event_id = p_event and a.account_id = p_account and a.ended_at is null
      and a.expires_at > v_clock and a.expires_at < v_own_end;
end;
$$;

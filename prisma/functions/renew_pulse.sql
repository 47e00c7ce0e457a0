-- Renews the pulse (see sale_clock.sql), unless another process has done so in the last half second. Where it was not renewed for
-- over p_gap_seconds, the holds and admissions that were alive then get the time of that outage in the same commit. One that
-- began during the gap gets the part that it lived through. No hold or admission is ever shortened.
--
-- Returns a row for each event in which holds or admissions were extended:
-- gap_seconds           the same in each row
-- hold_ids              the holds, offers among them
-- seat_nos, revisions   their seats, with their new revisions
-- admissions            the number of admissions
--
-- Of processes that call it at the same time one does the work, and the others return at once. If the call fails or its process
-- dies, the clock stands still until the next call.
--
-- Lock order: the pulse; then of each event holds by id, seats in seat order, admissions. No other transaction locks the
-- pulse, or rows of two events.
create function renew_pulse(
  p_gap_seconds float8,
  out gap_seconds float8,
  out event_id text,
  out hold_ids text[],
  out seat_nos int[],
  out revisions int[],
  out admissions int
) returns setof record
language plpgsql
as $$
#variable_conflict use_column
declare
  v_last timestamptz;
  v_now timestamptz;
  v_event text;
begin
  -- A plain read first: nearly all calls of many processes end here, and write nothing.
  select p.beat_at into v_last from pulse p;
  if not found then
    insert into pulse (beat_at) values (clock_timestamp()) on conflict do nothing;
    return;
  end if;
  if v_last between clock_timestamp() - interval '0.5 seconds' and clock_timestamp() then
    return;
  end if;
  perform from pulse p where p.beat_at = v_last for no key update skip locked;
  if not found then
    return;
  end if;

  v_now := clock_timestamp();
  gap_seconds := extract(epoch from v_now - v_last);
  update pulse p set beat_at = v_now;
  if gap_seconds <= p_gap_seconds then
    -- A crash that loses the last renewals makes the measured gap longer by them.
    perform set_config('synchronous_commit', 'off', true);
    return;
  end if;

  -- A call that waits for longer lets go of what it has locked. The next one tries again.
  perform set_config('lock_timeout', '5s', true);
  for v_event in
    select h.event_id from holds h where h.ended_at is null and h.expires_at > v_last
    union
    select a.event_id from admissions a where a.ended_at is null and a.expires_at > v_last
  loop
    event_id := v_event;
    hold_ids := array(
      select h.id from holds h
      where h.event_id = v_event and h.ended_at is null and h.expires_at > v_last
      order by h.id
      for no key update);
    perform from seats s
      where s.event_id = v_event and s.status = seat_status('HELD') and s.held_until > v_last
      order by s.no
      for no key update;
    with extended as (
      update holds h
      set expires_at = h.expires_at + greatest(v_now - greatest(v_last, h.created_at), interval '0'),
        unpaid_until = h.unpaid_until + greatest(v_now - greatest(v_last, h.created_at), interval '0')
      from unnest(hold_ids) x (id)
      where h.event_id = v_event and h.id = x.id
      returning h.id, h.expires_at
    ), moved as (
      update seats s
      set held_until = e.expires_at, revision = s.revision + 1
      from extended e
      where s.event_id = v_event and s.status = seat_status('HELD') and s.hold_id = e.id
      returning s.no, s.revision
    )
    select array_agg(m.no order by m.no), array_agg(m.revision order by m.no)
      into seat_nos, revisions
      from moved m;
    update admissions a
      set expires_at = a.expires_at + greatest(v_now - greatest(v_last, a.admitted_at), interval '0')
      where a.event_id = v_event and a.ended_at is null and a.expires_at > v_last;
    get diagnostics admissions = row_count;
    return next;
  end loop;
end;
$$;

-- Declines a paying order, and takes back the time that its hold got for the payment: the hold ends when it would have ended
-- without the checkout, and a minute from now at the earliest, so that another card can be tried. Otherwise a card that is
-- known to be declined would keep seats for five minutes more. It happens once: later declines change no time.
--
-- declined              false where the order was not PAYING; then nothing changed
-- seat_nos, revisions   the seats of the hold whose end came nearer, with their new revisions
--
-- Lock order: order, hold, then seats in seat order.
create function decline_order(
  p_event text,
  p_order text,
  p_reason text,
  out declined boolean,
  out seat_nos int[],
  out revisions int[]
) language plpgsql
set enable_seqscan = off
as $$
#variable_conflict use_column
declare
  v_hold holds%rowtype;
  v_hold_id text;
  v_until timestamptz;
begin
  update orders o
    set state = 'DECLINED', decline_reason = p_reason, payment_method = null, changed_at = now()
    where o.event_id = p_event and o.id = p_order and o.state = 'PAYING'
    returning o.hold_id into v_hold_id;
  declined := found;
  if not declined then
    return;
  end if;

  select * into v_hold
    from holds h
    where h.event_id = p_event and h.id = v_hold_id and h.outcome is null and h.extended_from is not null
    for no key update;
  if not found then
    return;
  end if;
  -- now() is from before the waits for the locks.
  v_until := least(v_hold.expires_at, greatest(v_hold.extended_from, clock_timestamp() + interval '1 minute'));
  update holds h
    set expires_at = v_until, extended_from = null
    where h.event_id = p_event and h.id = v_hold.id;
  if v_until = v_hold.expires_at then
    return;
  end if;

  -- Seats that another hold took are that hold's.
  perform from seats s
    where s.event_id = p_event and s.hold_id = v_hold.id
      and s.no in (select i.seat_no from hold_items i where i.event_id = p_event and i.hold_id = v_hold.id)
    order by s.no
    for no key update;
  with shortened as (
    update seats s
      set held_until = v_until, revision = s.revision + 1
      where s.event_id = p_event and s.hold_id = v_hold.id
        and s.no in (select i.seat_no from hold_items i where i.event_id = p_event and i.hold_id = v_hold.id)
      returning s.no, s.revision
  )
  select array_agg(x.no order by x.no), array_agg(x.revision order by x.no) into seat_nos, revisions
    from shortened x;
  -- The admission too, where the hold had extended it, and never to before its own end.
  update admissions a
    set expires_at = greatest(v_until, a.admitted_at + make_interval(secs => s.admission_seconds))
    from sales s
    where s.event_id = p_event and a.event_id = p_event and a.account_id = v_hold.account_id and a.ended_at is null
      and a.expires_at = v_hold.expires_at
      and a.expires_at > greatest(v_until, a.admitted_at + make_interval(secs => s.admission_seconds));
end
$$;

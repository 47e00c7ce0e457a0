-- Sells an order's seats, once its authorization is certain. Durable, one commit either way; the provider is called after it, so
-- that a cancel never races a sale.
--
-- p_authorized_until   null where the order costs nothing
--
-- outcome   sold        CONFIRMED: seats, tickets, the admission's end, the capture in the outbox
--           seats_gone  SEATS_GONE: the cancel in the outbox, the seats unchanged
--           settled     the order was not PAYING any more; nothing changed
-- seat_nos, revisions   the seats sold, with their new revisions
-- ended_arrival         the arrival index of the admission that the sale ended; null where there was none
--
-- Lock order: order, hold, then seats in seat order; it waits for each. The hold's id is the fence, and the clock plays no part:
-- a hold that ran out is sold as long as no other hold took a seat of it.
create function sell_order(
  p_event text,
  p_order text,
  p_authorized_until timestamptz,
  out outcome text,
  out seat_nos int[],
  out revisions int[],
  out ended_arrival int
) language plpgsql
set enable_seqscan = off
as $$
#variable_conflict use_column
declare
  v_hold text;
  v_account text;
  v_seats int[];
begin
  select o.hold_id, o.account_id into v_hold, v_account
    from orders o
    where o.event_id = p_event and o.id = p_order and o.state = 'PAYING'
    for no key update;
  if not found then
    outcome := 'settled';
    return;
  end if;
  perform 1 from holds h where h.event_id = p_event and h.id = v_hold for no key update;

  v_seats := lock_own_seats(p_event, v_hold);
  if v_seats is null then
    outcome := 'seats_gone';
    update orders o
      set state = 'SEATS_GONE', payment = case when p_authorized_until is null then 'NONE' else 'AUTHORIZED' end,
        money_due = case when p_authorized_until is not null then 'CANCEL' end, authorized_until = p_authorized_until,
        payment_method = null, next_action = null, changed_at = now()
      where o.event_id = p_event and o.id = p_order;
    if p_authorized_until is not null then
      insert into outbox (job, data) values ('cancelPayment', jsonb_build_object('orderId', p_order));
    end if;
    return;
  end if;

  outcome := 'sold';
  with sold as (
    update seats s
      set status = seat_status('SOLD'), hold_id = null, held_until = null, order_id = p_order, revision = s.revision + 1
      where s.event_id = p_event and s.no = any (v_seats) and s.hold_id = v_hold
      returning s.no, s.revision
  )
  select array_agg(s.no order by s.no), array_agg(s.revision order by s.no) into seat_nos, revisions
    from sold s;
  -- A ticket's number within the event: its seat's number from 0 on, plus the number of seats for each earlier ticket of that
  -- seat. No two tickets have one number, and no counter is locked: the seat's lock keeps other sales of the seat away. Every
  -- earlier ticket of the seat is void.
  insert into tickets (event_id, id, order_id, account_id, seat_no, no)
    select p_event, 'tkt' || substr(p_event, 4) || '_' || n.no, p_order, v_account, n.seat_no, n.no
      from (
        select seat_no, seat_no - 1 + (
            select sum(x.capacity) from sections x where x.event_id = p_event
          ) * (
            select count(*) from tickets t
              where t.event_id = p_event and t.seat_no = sold.seat_no and t.voided_at is not null
          ) as no
          from unnest(v_seats) as sold (seat_no)
      ) n;
  update orders o
    set state = 'CONFIRMED', payment = case when p_authorized_until is null then 'NONE' else 'AUTHORIZED' end,
      money_due = case when p_authorized_until is not null then 'CAPTURE' end, authorized_until = p_authorized_until,
      payment_method = null, next_action = null, changed_at = now()
    where o.event_id = p_event and o.id = p_order;
  update holds h
    set outcome = 'SOLD', ended_at = now(), address = null, device = null
    where h.event_id = p_event and h.id = v_hold;
  update admissions a
    set ended_at = now()
    where a.event_id = p_event and a.account_id = v_account and a.ended_at is null
    returning a.arrival into ended_arrival;
  -- The hold may have been an offer, and the next one comes after it.
  perform nudge_waitlist(p_event);
  if p_authorized_until is not null then
    insert into outbox (job, data) values ('capturePayment', jsonb_build_object('orderId', p_order));
  end if;
end
$$;

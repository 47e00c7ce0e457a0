-- Cancels a confirmed order whose money will never come. Its seats go back on sale, its tickets become void, and the cancel in
-- the outbox gives back the authorized money. One commit, before the provider is called: where a capture is on its way, the
-- cancel finds the money taken, and a refund follows.
--
-- cancelled             false where the order was not confirmed, or was captured; then nothing changed
-- seat_nos, revisions   the seats given back, with their new revisions
--
-- Lock order: the waitlist, order, then seats in seat order. The hold ended with the sale.
create function cancel_order(
  p_event text,
  p_order text,
  out cancelled boolean,
  out seat_nos int[],
  out revisions int[]
) language plpgsql as $$
#variable_conflict use_column
declare
  v_seats int[];
begin
  -- Where no seat can come back, the sale stays open to all.
  cancelled := exists (
    select from orders o
    where o.event_id = p_event and o.id = p_order and o.state = 'CONFIRMED' and o.payment = 'AUTHORIZED');
  if not cancelled then
    return;
  end if;
  perform begin_return(p_event);
  update orders o
    set state = 'CANCELLED', money_due = 'CANCEL', changed_at = now()
    where o.event_id = p_event and o.id = p_order and o.state = 'CONFIRMED' and o.payment = 'AUTHORIZED';
  cancelled := found;
  if not cancelled then
    return;
  end if;
  select array_agg(t.seat_no) into v_seats
    from tickets t
    where t.event_id = p_event and t.order_id = p_order and t.voided_at is null;
  perform 1
    from seats s
    where s.event_id = p_event and s.no = any (v_seats)
    order by s.no
    for no key update;
  with freed as (
    update seats s
      set status = seat_status('AVAILABLE'), order_id = null, revision = s.revision + 1
      where s.event_id = p_event and s.no = any (v_seats) and s.order_id = p_order
      returning s.no, s.revision
  )
  select array_agg(f.no order by f.no), array_agg(f.revision order by f.no) into seat_nos, revisions
    from freed f;
  update tickets t
    set voided_at = now()
    where t.event_id = p_event and t.order_id = p_order and t.voided_at is null;
  insert into outbox (job, data) values ('cancelPayment', jsonb_build_object('orderId', p_order));
end
$$;

-- Ends an order that is PAYING and will not be sold: it becomes SEATS_GONE, its hold ends, and the hold's seats go back on sale.
-- Durable, one commit. Its buyer is free: neither the hold nor its tickets count any more.
--
-- p_when        LOST  only where another hold has taken a seat of it: the order can end in no other way
--               OVER  only where its hold's time is over, two minutes after the order's own: see claim_order
--               NOW   in any case
-- p_cancelled   the intent that the provider has reported as cancelled; null for none. The cancel of any other intent of the order,
--               stored since the caller read it, is in the outbox: the order is settled before the provider answers
--
-- ended                false where the order was not PAYING, or p_when does not hold; then nothing changed
-- seat_nos, revisions  the seats given back, with their new revisions
-- outbox               the commit left a row in the outbox
--
-- Lock order: the waitlist, order, hold, then seats in seat order.
create function end_order(
  p_event text,
  p_order text,
  p_when text,
  p_cancelled text,
  out ended boolean,
  out seat_nos int[],
  out revisions int[],
  out outbox boolean
) language plpgsql
set enable_seqscan = off
as $$
#variable_conflict use_column
declare
  v_order record;
  v_hold holds%rowtype;
begin
  outbox := false;
  -- Where no seat can come back, the sale stays open to all. Only a hold whose time is over can have lost a seat.
  ended := exists (
    select from orders o join holds h on h.event_id = o.event_id and h.id = o.hold_id
    where o.event_id = p_event and o.id = p_order and o.state = 'PAYING'
      and (p_when = 'NOW' or h.expires_at <= sale_clock())
      and (p_when <> 'LOST' or exists (
        select from hold_items i join seats s on s.event_id = i.event_id and s.no = i.seat_no
        where i.event_id = h.event_id and i.hold_id = h.id and s.hold_id is distinct from h.id)));
  if not ended then
    return;
  end if;
  perform begin_return(p_event);
  select o.hold_id, o.intent_id into v_order
    from orders o
    where o.event_id = p_event and o.id = p_order and o.state = 'PAYING'
    for no key update;
  ended := found;
  if not ended then
    return;
  end if;
  select * into v_hold
    from holds h
    where h.event_id = p_event and h.id = v_order.hold_id
    for no key update;

  outbox := v_order.intent_id is not null and v_order.intent_id is distinct from p_cancelled;
  update orders o
    set state = 'SEATS_GONE', payment = case when v_order.intent_id = p_cancelled then 'VOIDED' else 'NONE' end,
      money_due = case when outbox then 'CANCEL' end, payment_method = null, next_action = null, changed_at = now()
    where o.event_id = p_event and o.id = p_order;
  if outbox then
    insert into outbox (job, data) values ('cancelPayment', jsonb_build_object('orderId', p_order));
  end if;
  if v_hold.outcome is not null then
    return;
  end if;
  perform from seats s
    where s.event_id = p_event and s.hold_id = v_hold.id
      and s.no in (select i.seat_no from hold_items i where i.event_id = p_event and i.hold_id = v_hold.id)
    order by s.no
    for no key update;
  with freed as (
    update seats s
      set status = seat_status('AVAILABLE'), hold_id = null, held_until = null, revision = s.revision + 1
      where s.event_id = p_event and s.hold_id = v_hold.id
        and s.no in (select i.seat_no from hold_items i where i.event_id = p_event and i.hold_id = v_hold.id)
      returning s.no, s.revision
  )
  select array_agg(f.no order by f.no), array_agg(f.revision order by f.no) into seat_nos, revisions
    from freed f;
  update holds h
    set outcome = case when h.expires_at > sale_clock() then 'RELEASED' else 'EXPIRED' end,
      ended_at = least(h.expires_at, now()), unpaid_until = null, address = null, device = null
    where h.event_id = p_event and h.id = v_hold.id;
end
$$;

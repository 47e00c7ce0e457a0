-- Refunds a confirmed order, whole or some of its tickets: they become void, their seats go back on sale, and the order owes
-- their price, and their fees where the sale returns fees. One commit; the job in the outbox returns the money after it.
--
-- p_tickets   null for all that are left
-- p_refund    the id that the refund gets
--
-- outcome   refunded        ticket_ids: the tickets that are void now; amount: what the provider has to return
--           known           this key's refund was made before; nothing changed
--           key_reused      the key belongs to other input
--           not_found       there is no such order
--           not_confirmed   nothing is sold, or nothing is left; state has the order's state
--           not_captured    a part of an order whose money is not captured yet
--           unknown_ticket  ticket_ids are no tickets of the order
--           void_ticket     ticket_ids are void already
-- hold_id               the order's hold
-- seat_nos, revisions   the seats given back, with their new revisions
--
-- A whole order whose money is only authorized is cancelled, and the buyer pays nothing, no fees either.
--
-- Lock order: the waitlist, order, then seats in seat order.
create function refund_order(
  p_event text,
  p_order text,
  p_tickets text[],
  p_key text,
  p_input_hash text,
  p_reason text,
  p_refund text,
  out outcome text,
  out state text,
  out hold_id text,
  out ticket_ids text[],
  out amount bigint,
  out seat_nos int[],
  out revisions int[]
) language plpgsql as $$
#variable_conflict use_column
declare
  v_order orders%rowtype;
  v_key_hash text;
  v_live text[];
  v_ids text[];
  v_seats int[];
  v_whole boolean;
  v_amount bigint;
begin
  -- Where no seat can come back, the sale stays open to all.
  if exists (
    select from orders o where o.event_id = p_event and o.id = p_order and o.state = 'CONFIRMED'
  ) then
    perform begin_return(p_event);
  end if;
  select * into v_order from orders o where o.event_id = p_event and o.id = p_order for no key update;
  if not found then
    outcome := 'not_found';
    return;
  end if;
  state := v_order.state;
  hold_id := v_order.hold_id;
  -- After the order's lock: an earlier call with this key has committed.
  select r.input_hash into v_key_hash
    from refunds r where r.event_id = p_event and r.order_id = p_order and r.idempotency_key = p_key;
  if found then
    outcome := case when v_key_hash is not distinct from p_input_hash then 'known' else 'key_reused' end;
    return;
  end if;
  if v_order.state <> 'CONFIRMED' then
    outcome := 'not_confirmed';
    return;
  end if;

  select coalesce(array_agg(t.id), '{}') into v_live
    from tickets t where t.event_id = p_event and t.order_id = p_order and t.voided_at is null;
  v_ids := coalesce(p_tickets, v_live);
  select array_agg(x) into ticket_ids
    from unnest(v_ids) x
    where not exists (
      select from tickets t where t.event_id = p_event and t.order_id = p_order and t.id = x);
  if ticket_ids is not null then
    outcome := 'unknown_ticket';
    return;
  end if;
  select array_agg(x) into ticket_ids from unnest(v_ids) x where x <> all (v_live);
  if ticket_ids is not null then
    outcome := 'void_ticket';
    return;
  end if;
  v_whole := v_live <@ v_ids;
  if v_order.payment = 'AUTHORIZED' and not v_whole then
    outcome := 'not_captured';
    return;
  end if;

  outcome := 'refunded';
  ticket_ids := v_ids;
  select array_agg(t.seat_no), coalesce(sum(i.price + case when s.return_fees then i.fee else 0 end), 0)
    into v_seats, v_amount
    from tickets t
    join hold_items i on i.event_id = t.event_id and i.hold_id = v_order.hold_id and i.seat_no = t.seat_no
    join sales s on s.event_id = t.event_id
    where t.event_id = p_event and t.id = any (v_ids);
  if v_order.payment = 'AUTHORIZED' then
    v_amount := 0;
  end if;
  amount := v_amount;
  if v_amount + coalesce((
    select sum(r.amount) from refunds r where r.event_id = p_event and r.order_id = p_order
  ), 0) > v_order.amount then
    raise exception 'the refunds of order % would be more than its amount', p_order;
  end if;

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
  update tickets t set voided_at = now() where t.event_id = p_event and t.id = any (v_ids);
  insert into refunds (event_id, id, order_id, idempotency_key, input_hash, amount, reason, state)
    values (
      p_event, p_refund, p_order, p_key, p_input_hash, v_amount, p_reason,
      case v_amount when 0 then 'DONE' else 'OWED' end);
  update orders o
    set state = case when v_whole then 'CANCELLED' else o.state end,
      payment = case
        when v_amount > 0 then 'REFUND_OWED'
        -- Only fees were paid for, and they are kept.
        when o.payment = 'CAPTURED' then 'PARTIALLY_REFUNDED'
        else o.payment
      end,
      money_due = case o.payment when 'AUTHORIZED' then 'CANCEL' else o.money_due end,
      changed_at = now()
    where o.event_id = p_event and o.id = p_order;
  if v_order.payment = 'AUTHORIZED' then
    insert into outbox (job, data) values ('cancelPayment', jsonb_build_object('orderId', p_order));
  elsif v_amount > 0 then
    insert into outbox (job, data) values ('refundPayment', jsonb_build_object('refundId', p_refund));
  end if;
end
$$;

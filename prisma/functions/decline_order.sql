-- Ends an order whose payment is over without money: PAYING becomes DECLINED, and its hold stays for another card. The hold gets
-- the end back that it had before the claim. The first declined card leaves it a minute at least, so that a fan has time for
-- another one; a fan who declines on purpose gains no more than that.
--
-- p_cancelled   the provider has reported that the payment can authorize nothing more. False: the cancel is in the outbox, since
--               some providers accept another card for a payment that was declined
--
-- declined             false where the order was not PAYING; then nothing changed
-- seat_nos, revisions  the hold's seats, with their new revisions
-- outbox               the commit left a row in the outbox
--
-- Lock order: order, hold, then seats in seat order.
create function decline_order(
  p_event text,
  p_order text,
  p_reason text,
  p_cancelled boolean,
  out declined boolean,
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
  v_now timestamptz;
  v_until timestamptz;
begin
  select o.hold_id, o.account_id, o.placed_at, not p_cancelled and o.intent_id is not null as is_due
    into v_order
    from orders o
    where o.event_id = p_event and o.id = p_order and o.state = 'PAYING'
    for no key update;
  declined := found;
  outbox := false;
  if not declined then
    return;
  end if;
  outbox := v_order.is_due;
  update orders o
    set state = 'DECLINED', decline_reason = p_reason, money_due = case when outbox then 'CANCEL' end,
      payment_method = null, next_action = null, changed_at = now()
    where o.event_id = p_event and o.id = p_order;
  if outbox then
    insert into outbox (job, data) values ('cancelPayment', jsonb_build_object('orderId', p_order));
  end if;

  select * into v_hold
    from holds h
    where h.event_id = p_event and h.id = v_order.hold_id
    for no key update;
  if v_hold.outcome is not null then
    return;
  end if;
  -- Never into the past: an offer of the waitlist has looked at seats that came back until then.
  if lock_own_seats(p_event, v_hold.id) is null then
    v_now := clock_timestamp();
    v_until := v_now;
  else
    v_now := clock_timestamp();
    v_until := greatest(
      coalesce(v_hold.unpaid_until, v_hold.expires_at),
      case when v_hold.extended_at is null then v_now + interval '1 minute' else v_now end);
  end if;
  update holds h
    set expires_at = v_until, unpaid_until = null, extended_at = coalesce(h.extended_at, v_now)
    where h.event_id = p_event and h.id = v_hold.id;
  with changed as (
    update seats s
      set held_until = v_until, revision = s.revision + 1
      where s.event_id = p_event and s.hold_id = v_hold.id
        and s.no in (select i.seat_no from hold_items i where i.event_id = p_event and i.hold_id = v_hold.id)
      returning s.no, s.revision
  )
  select array_agg(c.no order by c.no), array_agg(c.revision order by c.no) into seat_nos, revisions
    from changed c;
  -- An admission that was alive at the claim covers the hold again.
  update admissions a
    set expires_at = v_until
    where a.event_id = p_event and a.account_id = v_order.account_id
      and a.ended_at is null and a.expires_at > v_order.placed_at and a.expires_at < v_until;
end
$$;

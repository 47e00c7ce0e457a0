-- Claims a hold for one order that is going to pay for it, with the exact parameters that the order's calls to its provider will
-- send. Durable: after a crash the settler finds this claim.
--
-- While the order is PAYING, its hold lasts: to two minutes after pay_until, when the settler cancels a payment that is not
-- decided. So no other fan gets a seat before the payment can authorize nothing more. A provider that is silent for those two
-- minutes as well keeps no seat any longer: the order then ends first, and the cancel follows. A declined order gives the hold
-- its own end back.
--
-- All payments of one hold, and of the holds that it replaced, together take twice the sale's payment_minutes at most, from the first claim to the last pay_until; a hold
-- whose own time lasts longer keeps it. Otherwise a fan could keep seats for ever with payments that they never finish.
--
-- outcome   claimed         the order is PAYING
--           known           order_id: the order of this key (is_of_key), or the one that decides over the hold: it is paying, has
--                           bought the seats, or found them gone
--           key_reused      the key belongs to other input
--           seats_gone      a seat is not this hold's any more; or the hold ran out, and its account has used its ticket limit
--                           since, or its payments have had their time. order_id is SEATS_GONE, and authorizes nothing
--           hold_not_found  the account has no such hold
-- seat_nos, revisions       the seats whose hold lasts longer, with their new revisions
--
-- Lock order: account, hold, then seats in seat order. The order is new, so no other transaction can hold its lock.
create function claim_order(
  p_event text,
  p_hold text,
  p_account text,
  p_order text,
  p_key text,
  p_input_hash text,
  p_email text,
  p_provider text,
  p_payment_method text,
  out outcome text,
  out order_id text,
  out is_of_key boolean,
  out seat_nos int[],
  out revisions int[]
) language plpgsql
set enable_seqscan = off
as $$
#variable_conflict use_column
declare
  v_hold holds%rowtype;
  v_key_hash text;
  v_seats int[];
  v_now timestamptz;
  v_clock timestamptz;
  v_pay_until timestamptz;
  v_until timestamptz;
begin
  -- Under this lock the account makes no second claim with this key, and no hold that counts against this one.
  perform pg_advisory_xact_lock(account_lock(p_event, p_account));
  select * into v_hold
    from holds h
    where h.event_id = p_event and h.id = p_hold and h.account_id = p_account
    for no key update;
  if not found then
    outcome := 'hold_not_found';
    return;
  end if;

  -- Read after the lock, in snapshots of their own: an earlier claim of this hold has committed.
  select o.id, o.input_hash into order_id, v_key_hash
    from orders o
    where o.event_id = p_event and o.account_id = p_account and o.idempotency_key = p_key;
  is_of_key := found;
  if is_of_key then
    outcome := case v_key_hash when p_input_hash then 'known' else 'key_reused' end;
    return;
  end if;
  select o.id into order_id
    from orders o
    where o.event_id = p_event and o.hold_id = p_hold
      and o.state in ('PAYING', 'CONFIRMED', 'CANCELLED', 'SEATS_GONE');
  if found then
    outcome := 'known';
    return;
  end if;

  v_seats := lock_own_seats(p_event, p_hold);
  -- One clock for the rest. now() is from before the waits for the locks.
  v_now := clock_timestamp();
  v_clock := sale_clock(v_now);
  -- A hold that ran out counts for nothing, so its account may have taken others since.
  if v_hold.expires_at <= v_clock and exists (
    select
      from sales s, account_use(p_event, p_account, v_clock, p_hold) u
      where s.event_id = p_event and u.tickets + u.held + cardinality(v_seats) > s.ticket_limit
  ) then
    v_seats := null;
  end if;

  select least(
      v_now + make_interval(mins => s.payment_minutes),
      greatest(v_hold.expires_at, coalesce(least(v_hold.payments_from, min(o.placed_at)), v_now) + 2 * make_interval(mins => s.payment_minutes)))
    into v_pay_until
    from sales s
    left join orders o on o.event_id = s.event_id and o.account_id = p_account and o.hold_id = p_hold
    where s.event_id = p_event
    group by s.payment_minutes;
  if v_pay_until <= v_clock then
    v_seats := null;
  end if;

  insert into orders (
      event_id, id, hold_id, account_id, idempotency_key, input_hash, email, amount, currency,
      state, payment, provider, payment_method, pay_until
    )
    values (
      p_event, p_order, p_hold, p_account, p_key, p_input_hash, p_email, v_hold.amount, v_hold.currency,
      case when v_seats is null then 'SEATS_GONE' else 'PAYING' end, 'NONE', p_provider,
      case when v_seats is not null then p_payment_method end,
      case when v_seats is not null then v_pay_until end);
  order_id := p_order;
  if v_seats is null then
    outcome := 'seats_gone';
    return;
  end if;
  outcome := 'claimed';

  v_until := greatest(v_hold.expires_at, v_pay_until + interval '2 minutes');
  update holds h
    set expires_at = v_until, unpaid_until = v_hold.expires_at
    where h.event_id = p_event and h.id = p_hold;
  with extended as (
    update seats s
      set held_until = v_until, revision = s.revision + 1
      where s.event_id = p_event and s.no = any (v_seats) and s.hold_id = p_hold
      returning s.no, s.revision
  )
  select array_agg(e.no order by e.no), array_agg(e.revision order by e.no) into seat_nos, revisions
    from extended e;
end
$$;

-- Steps 1 to 3 of every hold: its gates, before it locks a seat or writes. answer.outcome is null where the hold may go on: then
-- the account's lock is held, and the other columns are the sale's terms. Otherwise it is the answer: see hold_seats.sql.
--
-- Each plan is made once for a connection: PostgreSQL would plan at each call, since it gets arrays, and a hold would take
-- more than twice the processor time (`bench/hold.ts`). And plans use indexes, which fit an empty table that fills up.
--
-- p_seats: the seats that the caller named; null where the caller named a quantity
-- p_device, p_address: digests of the client's; null where they are unknown
create function begin_hold(
  p_event text,
  p_account text,
  p_key text,
  p_input_hash text,
  p_quantity int,
  p_seats int[],
  p_arrival int,
  p_place int,
  p_device bytea,
  p_address bytea default null,
  out answer hold_answer,
  out hold_seconds int,
  out waiting_room boolean,
  out allow_orphan_seats boolean
)
language plpgsql
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
declare
  v_sale record;
  v_limits record;
  v_used int;
  v_origin record;
begin
  answer.as_of := now();

  -- 1. Key and seats come from one snapshot: a retry must never be refused its own hold. Nothing is written or
  -- locked, so a refusal costs no transaction id and no flush.
  select s.opens_at, s.ends_at, s.paused, s.waitlist_only, s.waiting_room, s.ticket_limit, s.hold_seconds, s.holds_per_minute,
      s.unpaid_holds, s.held_per_device, s.held_per_address, s.seat_picking, s.allow_orphan_seats, h.id as known_hold, h.input_hash, t.taken,
      t.back_at, t.own_hold, t.own_until, t.is_own,
      not s.waiting_room or exists (
        select from admissions a
        where a.event_id = p_event and a.account_id = p_account and a.arrival = p_arrival
          and a.place = p_place and a.device = p_device and a.ended_at is null and a.expires_at > sale_clock()
      ) as admitted
    into v_sale
    from sales s
    left join holds h on h.event_id = s.event_id and h.account_id = p_account and h.idempotency_key = p_key
    cross join lateral (
      select array_agg(x.no order by x.no) filter (where not x.free and x.own_hold is null) as taken,
        case when bool_and(x.free or x.status = seat_status('HELD'))
          then max(x.held_until) filter (where not x.free and x.own_hold is null) end as back_at,
        mode() within group (order by x.own_hold) as own_hold,
        max(x.held_until) filter (where x.own_hold is not null) as own_until,
        count(x.own_hold) = count(*) and min(x.own_hold) = max(x.own_hold) as is_own
      from (
        select y.no, y.status, y.held_until, is_free(y.status, y.held_until) as free,
          case when y.status = seat_status('HELD') then (
            select o.id from holds o
            where o.event_id = y.event_id and o.id = y.hold_id and o.account_id = p_account and o.outcome is null
              and o.expires_at > sale_clock()) end as own_hold
        from seats y
        where y.event_id = s.event_id and y.no = any (p_seats)
        offset 0
      ) x
    ) t
    where s.event_id = p_event;

  if not found then
    answer.outcome := 'no_sale';
    return;
  end if;
  if v_sale.known_hold is null then
    answer.retry_at := case when now() < v_sale.opens_at then v_sale.opens_at end;
    answer.outcome := case
      when now() < v_sale.opens_at then 'not_open'
      when now() >= v_sale.ends_at then 'ended'
      when v_sale.waitlist_only then 'sold_out'
      when v_sale.paused then 'paused'
      when not v_sale.admitted then 'admission_required'
      when p_seats is not null and not v_sale.seat_picking then 'no_seat_picking'
    end;
    if answer.outcome is not null then
      return;
    end if;
    answer.ticket_limit := v_sale.ticket_limit;
    if p_quantity > answer.ticket_limit then
      answer.outcome := 'ticket_limit';
      select u.tickets + u.held into answer.used from account_use(p_event, p_account) u;
      return;
    end if;
    if v_sale.taken is not null then
      answer.outcome := 'taken';
      answer.taken := v_sale.taken;
      answer.retry_at := v_sale.back_at;
      return;
    end if;
    -- A fan is not in conflict with themselves: a live hold of the account that has all of these seats is the answer.
    if v_sale.is_own then
      v_sale.known_hold := v_sale.own_hold;
      v_sale.input_hash := p_input_hash;
    elsif v_sale.own_hold is not null then
      answer.outcome := 'own_seats';
      answer.hold_id := v_sale.own_hold;
      answer.retry_at := v_sale.own_until;
      select array_agg(i.seat_no order by i.seat_no)
        into answer.taken
        from hold_items i
        where i.event_id = p_event and i.hold_id = v_sale.own_hold and i.seat_no = any (p_seats);
      return;
    end if;
  end if;

  if v_sale.known_hold is null then
    -- 2. Without this lock, concurrent calls of one account see each other's holds too late, and fall short of the limit
    -- or exceed it.
    if not pg_try_advisory_xact_lock(account_lock(p_event, p_account)) then
      answer.outcome := 'busy';
      return;
    end if;

    -- 3. The key again: the call that held the lock until now may have been this one's first attempt. The same walk through
    -- the account's holds shows whether its limits could refuse the hold; under the lock no other call makes one.
    -- The order is the index's own, for then no other index serves: see account_use.sql.
    select x.known_hold, x.input_hash, x.recent, x.alive, x.unbought
      into v_limits
      from (
        select max(h.id) filter (where h.idempotency_key = p_key) as known_hold,
          max(h.input_hash) filter (where h.idempotency_key = p_key) as input_hash,
          count(*) filter (where h.created_at > now() - interval '1 minute') as recent,
          count(*) filter (where h.outcome is null) as alive,
          count(*) filter (where h.outcome <> 'SOLD' or h.outcome is null and h.expires_at <= (select sale_clock())) as unbought
        from (
          select y.id, y.idempotency_key, y.input_hash, y.created_at, y.expires_at, y.outcome
          from holds y
          where y.event_id = p_event and y.account_id = p_account
          order by y.idempotency_key
        ) h
      ) x;
    v_sale.known_hold := v_limits.known_hold;
    v_sale.input_hash := v_limits.input_hash;
  end if;

  if v_sale.known_hold is not null then
    if v_sale.input_hash <> p_input_hash then
      answer.outcome := 'key_reused';
      return;
    end if;
    answer.outcome := 'known';
    select r.hold_id, r.state, r.amount, r.currency, r.expires_at, r.order_id, r.seat_nos, r.level_nos,
        r.prices, r.fees
      into answer.hold_id, answer.state, answer.amount, answer.currency, answer.expires_at, answer.order_id,
        answer.seat_nos, answer.level_nos, answer.prices, answer.fees
      from read_hold(p_event, v_sale.known_hold) r;
    return;
  end if;

  if v_limits.alive > 0 then
    select u.tickets + u.held into v_used from account_use(p_event, p_account) u;
  else
    select count(*) filter (where t.voided_at is null) into v_used
      from tickets t where t.event_id = p_event and t.account_id = p_account;
  end if;
  if v_used + p_quantity > answer.ticket_limit then
    answer.outcome := 'ticket_limit';
    answer.used := v_used;
    -- Of the same holds that were counted. An order that pays past its hold's end has no known end: the settler looks every
    -- half minute.
    select min(x.back_at)
      into answer.retry_at
      from (
        select c.back_at, sum(c.seats) over (order by c.back_at) as freed
        from (
          select greatest(h.expires_at, now() + case when p.paying then interval '30 seconds' end) as back_at,
            (select count(*) from hold_items i where i.event_id = h.event_id and i.hold_id = h.id) as seats
          from holds h
          cross join lateral (
            select exists (
              select from orders o
              where o.event_id = h.event_id and o.hold_id = h.id and o.state = 'PAYING') as paying
          ) p
          where h.event_id = p_event and h.account_id = p_account and h.outcome is null
            and (h.expires_at > (select sale_clock()) or p.paying)
        ) c
      ) x
      where answer.used + p_quantity - x.freed <= answer.ticket_limit;
    return;
  end if;
  -- An unpaid hold counts for twice its own life times the cap, and for a minute at least. So an account keeps seats that it
  -- does not buy for half of the time at most, and a fan who chose wrongly waits a minute.
  if v_limits.recent >= v_sale.holds_per_minute or v_limits.unbought >= v_sale.unpaid_holds then
    select max(x.at)
      into answer.retry_at
      from (
        (select h.created_at + interval '1 minute' as at
          from holds h
          where h.event_id = p_event and h.account_id = p_account
          order by 1 desc
          offset v_sale.holds_per_minute - 1
          limit 1)
        union all
        (select coalesce(h.ended_at, h.expires_at)
            + greatest(
              interval '1 minute',
              2 * v_sale.unpaid_holds * (coalesce(h.ended_at, h.expires_at) - h.created_at)
            )
          from holds h
          where h.event_id = p_event and h.account_id = p_account and h.outcome is distinct from 'SOLD'
            and (h.outcome is not null or h.expires_at <= (select sale_clock()) and not exists (
              select from orders o
              where o.event_id = h.event_id and o.hold_id = h.id and o.state = 'PAYING'))
          order by 1 desc
          offset v_sale.unpaid_holds - 1
          limit 1)
      ) x;
    if answer.retry_at > now() then
      answer.outcome := 'too_many_holds';
      return;
    end if;
    answer.retry_at := null;
  end if;
  -- The ticket limit is the least: a fan alone behind an address is never refused by it.
  if p_device is not null or p_address is not null then
    v_origin := check_origin(
      p_event, p_device, p_address, p_quantity, answer.ticket_limit,
      greatest(v_sale.held_per_device, answer.ticket_limit), greatest(v_sale.held_per_address, answer.ticket_limit));
    if v_origin.outcome is not null then
      answer.outcome := v_origin.outcome;
      answer.retry_at := v_origin.retry_at;
      return;
    end if;
  end if;

  hold_seconds := v_sale.hold_seconds;
  waiting_room := v_sale.waiting_room;
  allow_orphan_seats := v_sale.allow_orphan_seats;
end;
$$;

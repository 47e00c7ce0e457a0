-- Holds named seats for an account, all or none, in one round trip. Every answer is a row: an error would
-- cost the caller its connection. Seats come ascending, each once, and exist.
--
-- outcome            what else is told
-- held               the hold, and the revisions of its seats
-- known              the hold that this key has made before, read afresh
-- key_reused         this key was used with another input
-- taken              taken: the seats that a committed read shows taken; retry_at: when all of them may
--                    have come back, null where one is sold or not for sale
-- missed             a seat was locked or went in this very moment: no verdict, call again
-- busy               another call of this account is running: call again
-- ticket_limit       ticket_limit, used; retry_at: when enough of what counts may have come back, null for never
-- too_many_holds     retry_at
-- admission_required, no_seat_picking, paused, ended, no_sale; not_open: retry_at
--
-- READ COMMITTED gives every statement a snapshot of its own, so each step below is a statement.
create function hold_seats(
  p_event text,
  p_account text,
  p_key text,
  p_input_hash text,
  p_hold text,
  p_seats int[],
  p_arrival int,
  p_place int,
  p_device bytea,
  p_wait boolean,
  out outcome text,
  out hold_id text,
  out state text,
  out amount bigint,
  out currency text,
  out expires_at timestamptz,
  out order_id text,
  out seat_nos int[],
  out level_nos smallint[],
  out prices bigint[],
  out fees bigint[],
  out revisions int[],
  out taken int[],
  out ticket_limit int,
  out used int,
  out retry_at timestamptz,
  out as_of timestamptz
)
language plpgsql
as $$
declare
  v_sale record;
  v_limits record;
  v_no int;
  v_until timestamptz(3);
begin
  as_of := now();

  -- 1. Key and seats from one snapshot: a retry must never be refused its own hold. Nothing is written or
  -- locked, so a refusal costs no transaction id and no flush.
  select s.opens_at, s.ends_at, s.paused, s.waiting_room, s.ticket_limit, s.hold_seconds, s.holds_per_minute,
      s.unpaid_holds, s.seat_picking, h.id as known_hold, h.input_hash, t.taken, t.back_at,
      not s.waiting_room or exists (
        select from admissions a
        where a.event_id = p_event and a.account_id = p_account and a.arrival = p_arrival
          and a.place = p_place and a.device = p_device and a.ended_at is null and a.expires_at > now()
      ) as admitted
    into v_sale
    from sales s
    left join holds h on h.event_id = s.event_id and h.account_id = p_account and h.idempotency_key = p_key
    cross join lateral (
      select array_agg(x.no order by x.no) as taken,
        case when bool_and(x.status = 1) then max(x.held_until) end as back_at
      from seats x
      where x.event_id = s.event_id and x.no = any (p_seats)
        and not (x.status = 0 or x.status = 1 and x.held_until <= now())
    ) t
    where s.event_id = p_event;

  if not found then
    outcome := 'no_sale';
    return;
  end if;
  if v_sale.known_hold is null then
    retry_at := case when now() < v_sale.opens_at then v_sale.opens_at end;
    outcome := case
      when now() < v_sale.opens_at then 'not_open'
      when now() >= v_sale.ends_at then 'ended'
      when v_sale.paused then 'paused'
      when not v_sale.admitted then 'admission_required'
      when not v_sale.seat_picking then 'no_seat_picking'
    end;
    if outcome is not null then
      return;
    end if;
    ticket_limit := v_sale.ticket_limit;
    if cardinality(p_seats) > ticket_limit then
      outcome := 'ticket_limit';
      select u.tickets + u.held into used from account_use(p_event, p_account) u;
      return;
    end if;
    if v_sale.taken is not null then
      outcome := 'taken';
      taken := v_sale.taken;
      retry_at := v_sale.back_at;
      return;
    end if;

    -- 2. Without this lock, calls of one account at once see each other's limits too late and under-fill or
    -- overrun it.
    if not pg_try_advisory_xact_lock(account_lock(p_event, p_account)) then
      outcome := 'busy';
      return;
    end if;

    -- 3. The key again, for the call that held the lock until now may have been this one's first attempt.
    -- An unpaid hold weighs for twice its own life times the cap, at least a minute: so an account sits on
    -- seats that it does not buy for half of the time at most, and who changes his mind waits a minute.
    select k.id as known_hold, k.input_hash, u.tickets + u.held as used, p.recent, p.unpaid
      into v_limits
      from account_use(p_event, p_account) u
      cross join lateral (
        select count(*) filter (where h.created_at > now() - interval '1 minute') as recent,
          count(*) filter (
            where h.outcome is distinct from 'SOLD'
              and coalesce(h.ended_at, h.expires_at)
                + greatest(
                  interval '1 minute',
                  2 * v_sale.unpaid_holds * (coalesce(h.ended_at, h.expires_at) - h.created_at)
                ) > now()
              and (h.outcome is not null or h.expires_at <= now() and not exists (
                select from orders o
                where o.event_id = h.event_id and o.hold_id = h.id and o.state = 'PAYING'))
          ) as unpaid
        from holds h
        where h.event_id = p_event and h.account_id = p_account
      ) p
      left join holds k on k.event_id = p_event and k.account_id = p_account and k.idempotency_key = p_key;
    v_sale.known_hold := v_limits.known_hold;
    v_sale.input_hash := v_limits.input_hash;
  end if;

  if v_sale.known_hold is not null then
    if v_sale.input_hash <> p_input_hash then
      outcome := 'key_reused';
      return;
    end if;
    outcome := 'known';
    select r.hold_id, r.state, r.amount, r.currency, r.expires_at, r.order_id, r.seat_nos, r.level_nos,
        r.prices, r.fees
      into hold_id, state, amount, currency, expires_at, order_id, seat_nos, level_nos, prices, fees
      from read_hold(p_event, v_sale.known_hold) r;
    return;
  end if;

  if v_limits.used + cardinality(p_seats) > ticket_limit then
    outcome := 'ticket_limit';
    used := v_limits.used;
    -- By the same holds that were counted. Nobody knows when an order comes to its end that is paying past its
    -- hold's: the settler looks every half minute.
    select min(x.back_at)
      into retry_at
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
            and (h.expires_at > now() or p.paying)
        ) c
      ) x
      where used + cardinality(p_seats) - x.freed <= ticket_limit;
    return;
  end if;
  if v_limits.recent >= v_sale.holds_per_minute or v_limits.unpaid >= v_sale.unpaid_holds then
    outcome := 'too_many_holds';
    select max(x.at)
      into retry_at
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
            and (h.outcome is not null or h.expires_at <= now() and not exists (
              select from orders o
              where o.event_id = h.event_id and o.hold_id = h.id and o.state = 'PAYING'))
          order by 1 desc
          offset v_sale.unpaid_holds - 1
          limit 1)
      ) x;
    return;
  end if;

  -- A crash may lose the last few holds, and never anything that depends on them: a later durable commit
  -- flushes what came before it. Already here, for a row lock is a write. Set on the function, it would be
  -- reset before the commit and do nothing.
  perform set_config('synchronous_commit', 'off', true);
  if p_wait then
    perform set_config('lock_timeout', '2s', true);
  end if;

  -- 4. One by one in seat order. One statement over all of them would let two equal choices each lock half,
  -- and nobody win.
  foreach v_no in array p_seats loop
    if p_wait then
      perform from seats s
        where s.event_id = p_event and s.no = v_no
          and (s.status = 0 or s.status = 1 and s.held_until <= now())
        for no key update;
    else
      perform from seats s
        where s.event_id = p_event and s.no = v_no
          and (s.status = 0 or s.status = 1 and s.held_until <= now())
        for no key update skip locked;
    end if;
    if not found then
      outcome := 'missed';
      return;
    end if;
  end loop;

  -- 5. Every seat is ours: only now is anything written, so nothing ever has to be rolled back. A hold that
  -- ran out before is displaced without a touch of its own row, which its checkout may have locked.
  v_until := now() + make_interval(secs => v_sale.hold_seconds * (1 + 0.1 * random()));
  with priced as (
    select s.no, s.level_no, l.price, l.fee
    from seats s join price_levels l on l.event_id = s.event_id and l.no = s.level_no
    where s.event_id = p_event and s.no = any (p_seats)
  ), total as (
    select sum(p.price + p.fee)::bigint as amount from priced p
  ), hold as (
    insert into holds (event_id, id, account_id, idempotency_key, input_hash, amount, currency, expires_at)
    select p_event, p_hold, p_account, p_key, p_input_hash, t.amount, e.currency, v_until
    from total t, events e
    where e.id = p_event
    returning holds.amount, holds.currency
  ), items as (
    insert into hold_items (event_id, hold_id, seat_no, level_no, price, fee)
    select p_event, p_hold, p.no, p.level_no, p.price, p.fee from priced p
  ), held as (
    update seats s
    set status = 1, hold_id = p_hold, held_until = v_until, revision = s.revision + 1
    where s.event_id = p_event and s.no = any (p_seats)
    returning s.no, s.revision
  )
  select h.amount, h.currency, array_agg(p.no order by p.no), array_agg(p.level_no order by p.no),
      array_agg(p.price order by p.no), array_agg(p.fee order by p.no), array_agg(u.revision order by p.no)
    into amount, currency, seat_nos, level_nos, prices, fees, revisions
    from priced p join held u on u.no = p.no cross join hold h
    group by h.amount, h.currency;

  -- A hold that was begun under an admission can be finished under it.
  if v_sale.waiting_room then
    update admissions a
      set expires_at = v_until
      where a.event_id = p_event and a.account_id = p_account and a.ended_at is null and a.expires_at < v_until;
  end if;

  outcome := 'held';
  hold_id := p_hold;
  state := 'ACTIVE';
  expires_at := v_until;
end;
$$;

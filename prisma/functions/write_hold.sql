-- Step 5 of every hold: writes hold, items with the price locked in, and seats. Whoever calls has locked the seats,
-- which are all free, and the account. Only here is anything written, so nothing ever has to be rolled back. A hold
-- that ran out before is displaced without a touch of its own row, which its checkout may have locked.
--
-- Planned once for a connection, as begin_hold.
--
-- p_entry: the waitlist's entry that it is an offer to. Any other hold is sold_out where the sale has become the
-- waitlist's since its gates: seats that come back under the waitlist's eyes, and are locked only now, are not its own.
create function write_hold(
  p_event text,
  p_account text,
  p_key text,
  p_input_hash text,
  p_hold text,
  p_seats int[],
  p_hold_seconds int,
  p_waiting_room boolean,
  p_entry text default null,
  out answer hold_answer
)
language plpgsql
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
declare
  -- Upward by up to a tenth, so that a burst of holds does not end as one.
  v_until timestamptz(3) := now() + make_interval(secs => p_hold_seconds * (1 + 0.1 * random()));
begin
  if p_entry is null and exists (select from sales s where s.event_id = p_event and s.waitlist_only) then
    answer.outcome := 'sold_out';
    return;
  end if;

  -- Materialized: a planner that knows nothing of these seats yet walks through the level's instead (2.7 ms of 5,000).
  with wanted as materialized (
    select s.no, s.level_no from seats s where s.event_id = p_event and s.no = any (p_seats)
  ), priced as (
    select w.no, w.level_no, l.price, l.fee
    from wanted w join price_levels l on l.event_id = p_event and l.no = w.level_no
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
    into answer.amount, answer.currency, answer.seat_nos, answer.level_nos, answer.prices, answer.fees,
      answer.revisions
    from priced p join held u on u.no = p.no cross join hold h
    group by h.amount, h.currency;

  -- A hold that was begun under an admission can be finished under it.
  if p_waiting_room then
    update admissions a
      set expires_at = v_until
      where a.event_id = p_event and a.account_id = p_account and a.ended_at is null and a.expires_at < v_until;
  end if;

  answer.outcome := 'held';
  answer.hold_id := p_hold;
  answer.state := 'ACTIVE';
  answer.expires_at := v_until;
  answer.as_of := now();
end;
$$;

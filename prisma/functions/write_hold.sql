-- Step 5 of every hold: writes hold, items with the price locked in, and seats. The caller has locked the account and the seats,
-- which are all free. Only this step writes, so there is never a change to roll back. A hold that ran out before is displaced
-- without a change of its own row, which its checkout may have locked.
--
-- p_entry: the waitlist's entry that the hold is an offer to. Any other hold is sold_out where the sale has become the waitlist's
-- since its gates: its seats may have come back for the waitlist before it locked them. It is `wanted` where the sale is open, and
-- an entry of the waitlist needs one of the seats, however that came back. Then taken has these seats, and retry_at the end
-- of an offer that would be made now. No caller outside of SQL sees that outcome.
--
-- p_device, p_address: digests of the client's. The function that ends the hold erases them.
--
-- Planned once for a connection, as begin_hold.
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
  p_device bytea default null,
  p_address bytea default null,
  out answer hold_answer
)
language plpgsql
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
declare
  v_closed boolean;
  v_demanded boolean;
  -- Upward by up to a tenth, so that a burst of holds does not end as one.
  v_until timestamptz := now() + make_interval(secs => p_hold_seconds * (1 + 0.1 * random()));
begin
  if p_entry is null then
    select s.waitlist_only, exists (select from waitlist_demand d where d.event_id = p_event)
      into v_closed, v_demanded
      from sales s
      where s.event_id = p_event;
    if v_closed then
      answer.outcome := 'sold_out';
      return;
    end if;
    if v_demanded then
      answer.taken := waitlist_wants(p_event, p_seats);
      if answer.taken is not null then
        answer.outcome := 'wanted';
        answer.retry_at := v_until;
        answer.as_of := now();
        return;
      end if;
    end if;
  end if;

  -- No other transaction changes the seats: they are locked. `offset 0`: a read of a seat's own level, never of them all.
  select array_agg(x.no), array_agg(x.level_no), array_agg(x.price), array_agg(x.fee), array_agg(x.revision),
      sum(x.price + x.fee), (select e.currency from events e where e.id = p_event)
    into answer.seat_nos, answer.level_nos, answer.prices, answer.fees, answer.revisions,
      answer.amount, answer.currency
    from (
      select s.no, s.level_no, l.price, l.fee, s.revision + 1 as revision
      from seats s
      cross join lateral (
        select l.price, l.fee from price_levels l where l.event_id = s.event_id and l.no = s.level_no offset 0
      ) l
      where s.event_id = p_event and s.no = any (p_seats)
      order by s.no
    ) x;
  insert into holds (
      event_id, id, account_id, idempotency_key, input_hash, amount, currency, expires_at, quantity, device, address
    ) values (
      p_event, p_hold, p_account, p_key, p_input_hash, answer.amount, answer.currency, v_until,
      cardinality(p_seats), p_device, p_address
    );
  insert into hold_items (event_id, hold_id, seat_no, level_no, price, fee)
    select p_event, p_hold, x.no, x.level_no, x.price, x.fee
    from unnest(answer.seat_nos, answer.level_nos, answer.prices, answer.fees) x (no, level_no, price, fee);
  update seats s
    set status = seat_status('HELD'), hold_id = p_hold, held_until = v_until, revision = s.revision + 1
    where s.event_id = p_event and s.no = any (p_seats);

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

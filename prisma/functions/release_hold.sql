-- Ends an account's hold and frees its seats, exactly once. Seats that another hold took after this one had run out stay that
-- hold's.
--
-- outcome      its fields
-- released     the hold; freed and revisions: the seats that are available now
-- over         the hold, which had ended before: released, sold, or run out. Where it had run out, freed has the seats that no
--              other hold took
-- in_checkout  an order is paying for it
-- not_found    the account has no such hold
--
-- Lock order: the waitlist, hold, then seats in seat order.
create function release_hold(
  p_event text,
  p_hold text,
  p_account text,
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
  out freed int[],
  out revisions int[],
  out as_of timestamptz
)
language plpgsql
set enable_seqscan = off
as $$
declare
  v_hold record;
begin
  as_of := now();
  -- As for the hold itself: a crash loses a release that nothing depends on.
  perform set_config('synchronous_commit', 'off', true);

  -- Where no seat can come back, the sale stays open to all.
  if exists (
    select from holds h
    where h.event_id = p_event and h.id = p_hold and h.account_id = p_account and h.outcome is null
      and not exists (
        select from orders o where o.event_id = h.event_id and o.hold_id = h.id and o.state = 'PAYING')
  ) then
    perform begin_return(p_event);
  end if;

  select h.outcome, h.expires_at
    into v_hold
    from holds h
    where h.event_id = p_event and h.id = p_hold and h.account_id = p_account
    for no key update;
  if not found then
    outcome := 'not_found';
    return;
  end if;

  -- In a statement of its own: a claim holds the hold's lock until its order is committed.
  if exists (
    select from orders o where o.event_id = p_event and o.hold_id = p_hold and o.state = 'PAYING'
  ) then
    outcome := 'in_checkout';
    return;
  end if;

  outcome := 'over';
  if v_hold.outcome is null then
    perform from seats s
      where s.event_id = p_event and s.hold_id = p_hold
        and s.no in (select i.seat_no from hold_items i where i.event_id = p_event and i.hold_id = p_hold)
      order by s.no
      for no key update;
    with freed_seats as (
      update seats s
      set status = seat_status('AVAILABLE'), hold_id = null, held_until = null, revision = s.revision + 1
      where s.event_id = p_event and s.hold_id = p_hold
        and s.no in (select i.seat_no from hold_items i where i.event_id = p_event and i.hold_id = p_hold)
      returning s.no, s.revision
    )
    select array_agg(f.no order by f.no), array_agg(f.revision order by f.no)
      into freed, revisions
      from freed_seats f;
    if v_hold.expires_at > sale_clock() then
      outcome := 'released';
      update holds h
        set outcome = 'RELEASED', ended_at = now(), address = null, device = null
        where h.event_id = p_event and h.id = p_hold;
    else
      update holds h
        set outcome = 'EXPIRED', ended_at = h.expires_at, address = null, device = null
        where h.event_id = p_event and h.id = p_hold;
    end if;
  end if;

  select r.hold_id, r.state, r.amount, r.currency, r.expires_at, r.order_id, r.seat_nos, r.level_nos,
      r.prices, r.fees
    into hold_id, state, amount, currency, expires_at, order_id, seat_nos, level_nos, prices, fees
    from read_hold(p_event, p_hold) r;
end;
$$;

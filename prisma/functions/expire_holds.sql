-- The sweep: ends up to p_limit holds whose time has run out, the oldest first, and leaves those that an order is paying for.
-- No call waits for it, since hold functions take expired seats by themselves. Several may run at once. Returns a row
-- for each hold that it ended, with the seats that no other hold had taken: they are available now.
--
-- Lock order: the waitlist; holds, never waiting for one; then all their seats in seat order.
create function expire_holds(
  p_event text,
  p_limit int,
  out hold_id text,
  out freed int[],
  out revisions int[]
) returns setof record
language plpgsql
set enable_seqscan = off
as $$
declare
  v_holds text[];
begin
  perform set_config('synchronous_commit', 'off', true);

  -- Where no seat can come back, the sale stays open to all.
  perform from holds h
    where h.event_id = p_event and h.ended_at is null and h.expires_at <= sale_clock()
      and not exists (
        select from orders o where o.event_id = p_event and o.hold_id = h.id and o.state = 'PAYING')
    limit 1;
  if not found then
    return;
  end if;
  perform begin_return(p_event);

  select array_agg(x.id)
    into v_holds
    from (
      select h.id
      from holds h
      where h.event_id = p_event and h.ended_at is null and h.expires_at <= sale_clock()
        and not exists (
          select from orders o where o.event_id = p_event and o.hold_id = h.id and o.state = 'PAYING')
      order by h.expires_at
      limit p_limit
      for no key update skip locked
    ) x;

  -- Once more under the locks: a claim that left its hold's row unchanged may have committed since that
  -- statement's snapshot. None can come now.
  select array_agg(x.id)
    into v_holds
    from unnest(v_holds) x (id)
    where not exists (
      select from orders o where o.event_id = p_event and o.hold_id = x.id and o.state = 'PAYING');
  if v_holds is null then
    return;
  end if;

  perform from seats s
    where s.event_id = p_event and s.hold_id = any (v_holds)
      and s.no in (select i.seat_no from hold_items i where i.event_id = p_event and i.hold_id = any (v_holds))
    order by s.no
    for no key update;

  return query
    with freed_seats as (
      update seats s
      set status = seat_status('AVAILABLE'), hold_id = null, held_until = null, revision = s.revision + 1
      from hold_items i
      where i.event_id = p_event and i.hold_id = any (v_holds)
        and s.event_id = i.event_id and s.no = i.seat_no and s.hold_id = i.hold_id
      returning s.no, s.revision, i.hold_id
    ), ended as (
      update holds h
      set outcome = 'EXPIRED', ended_at = h.expires_at, address = null, device = null
      where h.event_id = p_event and h.id = any (v_holds)
      returning h.id
    )
    select e.id, array_agg(f.no order by f.no) filter (where f.no is not null),
      array_agg(f.revision order by f.no) filter (where f.no is not null)
    from ended e left join freed_seats f on f.hold_id = e.id
    group by e.id;
end;
$$;

-- The single seats that a choice of free seats would leave behind, where a better choice exists: null where it leaves none, or
-- where the buyer cannot do better in that row.
--
-- A choice strands a seat where it takes that seat's last free neighbour. A seat that is sold, held by others or not for sale is
-- never stranded, nor is one that was alone before. Wheelchair seats and their companions are not counted: they are for the
-- fans who need them, and not for the next buyer. A buyer who takes one cannot do better elsewhere, so seats that stand side
-- by side with it are never refused.
--
-- A better choice: as many seats side by side as the choice has of one stretch of free seats, of the same price levels, that
-- strand fewer; in that stretch, or in one of the row that the choice leaves alone. Rows are read as they are now: under
-- lock_rows no other transaction takes a seat of them.
--
-- Planned once for a connection, as begin_hold.
create function stranded_seats(p_event text, p_seats int[]) returns int[]
language plpgsql
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
begin
  -- Nearly every choice leaves no single seat: a read of its neighbours shows that, for a fifth of the work. `offset 0`: seat
  -- by seat, whatever the planner knows of the table; any other join of many seats is far slower.
  perform from unnest(p_seats) u (no)
    cross join lateral (
      select x.row_no, x.row_place from seats x where x.event_id = p_event and x.no = u.no offset 0
    ) c
    cross join lateral (
      select x.row_no, x.row_place from seats x
      where x.event_id = p_event and x.row_no = c.row_no and x.row_place in (c.row_place - 1, c.row_place + 1)
        and x.no <> all (p_seats) and is_free(x.status, x.held_until)
        and not x.wheelchair and x.companion_of is null
      offset 0
    ) s
    where not exists (
      select from seats n
      where n.event_id = p_event and n.row_no = s.row_no and n.row_place in (s.row_place - 1, s.row_place + 1)
        and n.no <> all (p_seats) and is_free(n.status, n.held_until));
  if not found then
    return null;
  end if;

  return (
    with free as (
      select s.no, s.row_no, s.row_place, s.level_no, s.no = any (p_seats) as chosen,
        not s.wheelchair and s.companion_of is null as usual,
        s.row_place - row_number() over (partition by s.row_no order by s.row_place) as stretch
      from seats s
      where s.event_id = p_event
        and s.row_no = any (array(
          select c.row_no
          from unnest(p_seats) u (no)
          cross join lateral (
            select x.row_no from seats x where x.event_id = p_event and x.no = u.no offset 0
          ) c))
        and is_free(s.status, s.held_until)
    ), seen as (
      select *, row_number() over along as nth, count(*) over along as length,
        first_value(usual) over along as first_usual, last_value(usual) over along as last_usual,
        array_agg(level_no) filter (where chosen) over along as levels,
        bool_and(usual) filter (where chosen) over along as movable,
        not chosen and coalesce(lag(chosen) over along, true) and coalesce(lead(chosen) over along, true) as alone
      from free
      window along as (
        partition by row_no, stretch order by row_place
        rows between unbounded preceding and unbounded following)
    ), stranding as (
      select row_no, stretch, cardinality(levels) as size, array(select unnest(levels) order by 1) as levels,
        count(*) as strands, array_agg(no) as nos
      from seen
      where alone and usual and movable
      group by row_no, stretch, levels
    )
    select array_agg(x.no order by x.no)
    from (
      select unnest(c.nos) as no
      from stranding c
      where exists (
        select
        from seen f join seen l on l.row_no = f.row_no and l.stretch = f.stretch and l.nth = f.nth + c.size - 1
        where f.row_no = c.row_no and (f.stretch = c.stretch or f.levels is null)
          and (f.nth = 2 and f.first_usual)::int + (l.nth = l.length - 1 and l.last_usual)::int < c.strands
          and c.levels = array(
            select b.level_no from seen b
            where b.row_no = f.row_no and b.stretch = f.stretch and b.nth between f.nth and l.nth and b.usual
            order by 1))
    ) x
  );
end;
$$;

-- The single seats that a choice of free seats would leave behind, where a better choice exists: null where it leaves none, or
-- where the buyer cannot do better in that row.
--
-- A choice strands a seat where it takes that seat's last free neighbour. A seat that is sold, held by others or not for sale is
-- never stranded, nor is one that was alone before. Wheelchair seats and their companions are not counted: they are for the
-- fans who need them, and not for the next buyer. A buyer who takes one cannot do better elsewhere, so seats that stand side
-- by side with it are never refused. Nor is a seat at a table ever stranded: its fans sit with those on the other side.
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
      where x.event_id = p_event and x.row_no = c.row_no and x.row_place in (place_before(c.row_place), place_after(c.row_place))
        and x.no <> all (p_seats) and is_free(x.status, x.held_until)
        and not x.wheelchair and x.companion_of is null and x.across is null
      offset 0
    ) s
    where not exists (
      select from seats n
      where n.event_id = p_event and n.row_no = s.row_no and n.row_place in (place_before(s.row_place), place_after(s.row_place))
        and n.no <> all (p_seats) and is_free(n.status, n.held_until));
  if not found then
    return null;
  end if;

  return (
    with found as (
      select s.no, s.row_no, s.row_place, s.level_no, s.no = any (p_seats) as chosen,
        not s.wheelchair and s.companion_of is null as usual,
        not s.wheelchair and s.companion_of is null and s.across is null as strandable,
        ring_size(s.row_place) as ring, s.row_place % 65536 as nth,
        row_number() over (partition by s.row_no order by s.row_place)::int as at,
        count(*) over (partition by s.row_no)::int as free
      from seats s
      where s.event_id = p_event
        and s.row_no = any (array(
          select c.row_no
          from unnest(p_seats) u (no)
          cross join lateral (
            select x.row_no from seats x where x.event_id = p_event and x.no = u.no offset 0
          ) c))
        and is_free(s.status, s.held_until)
    ), opened as (
      -- A closed row is cut at a seat that is gone, or before a chosen one.
      select f.*, f.ring > 0 and f.free = f.ring as closed,
        case when f.ring = 0 then f.row_place
          else (f.nth - coalesce(
            case when f.free = f.ring then min(f.nth) filter (where f.chosen) over whole end,
            min(case when f.nth <> f.at then f.at end) over whole,
            f.free + 1) + f.ring) % f.ring end as position
      from found f
      window whole as (partition by f.row_no)
    ), free as (
      select o.no, o.row_no, o.position, o.level_no, o.chosen, o.usual, o.strandable, o.closed,
        o.position - row_number() over (partition by o.row_no order by o.position) as stretch
      from opened o
    ), seen as (
      select *, row_number() over along as nth, count(*) over along as length,
        first_value(strandable) over along as first_strandable, last_value(strandable) over along as last_strandable,
        array_agg(level_no) filter (where chosen) over along as levels,
        bool_and(usual) filter (where chosen) over along as movable,
        not chosen and coalesce(lag(chosen) over along, true) and coalesce(lead(chosen) over along, true) as alone
      from free
      window along as (
        partition by row_no, stretch order by position
        rows between unbounded preceding and unbounded following)
    ), stranding as (
      select row_no, stretch, cardinality(levels) as size, array(select unnest(levels) order by 1) as levels,
        count(*) as strands, array_agg(no) as nos
      from seen
      where alone and strandable and movable
      group by row_no, stretch, levels
    )
    select array_agg(x.no order by x.no)
    from (
      select unnest(c.nos) as no
      from stranding c
      where exists (
        select
        from seen f
        where f.row_no = c.row_no and (f.stretch = c.stretch or f.levels is null) and c.size <= f.length
          and case
            when f.closed then (c.size = f.length - 1)::int < c.strands
            else f.nth + c.size - 1 <= f.length and (f.nth = 2 and f.first_strandable)::int
              + (f.nth + c.size = f.length and f.last_strandable)::int < c.strands
          end
          and c.levels = array(
            select b.level_no from seen b
            where b.row_no = f.row_no and b.stretch = f.stretch and (b.nth - f.nth + f.length) % f.length < c.size
              and b.usual
            order by 1))
    ) x
  );
end;
$$;

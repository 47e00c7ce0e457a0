-- The single seats that a choice of free seats would leave behind, where a better choice exists: null where it leaves
-- none, or where the buyer cannot do better in that row.
--
-- A seat is stranded where the choice takes its last free neighbour. What is sold, held by others or not for sale is
-- never stranded, and neither is a seat that was alone before. Wheelchair seats and their companions are not counted:
-- they are for who needs them, and not for who comes next.
--
-- Better: as many seats side by side, of the choice's price levels, that strand fewer; in the same stretch of free
-- seats, or in one of the row that the choice leaves alone. Rows are looked at as they are now: under lock_rows
-- nobody can take a seat of them meanwhile.
--
-- Planned once for a connection, as begin_hold.
create function stranded_seats(p_event text, p_seats int[]) returns int[]
language plpgsql
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
begin
  -- Nearly every choice leaves no single seat: seen by a look at its neighbours, a fifth of the work.
  perform from seats c
    join seats s on s.event_id = c.event_id and s.row_no = c.row_no
      and s.row_place in (c.row_place - 1, c.row_place + 1)
    where c.event_id = p_event and c.no = any (p_seats) and s.no <> all (p_seats)
      and (s.status = 0 or s.status = 1 and s.held_until <= now())
      and not s.wheelchair and s.companion_of is null
      and not exists (
        select from seats n
        where n.event_id = s.event_id and n.row_no = s.row_no
          and n.row_place in (s.row_place - 1, s.row_place + 1) and n.no <> all (p_seats)
          and (n.status = 0 or n.status = 1 and n.held_until <= now()));
  if not found then
    return null;
  end if;

  return (
    with chosen as (
      select s.no, s.row_no, s.level_no from seats s where s.event_id = p_event and s.no = any (p_seats)
    ), free as (
      select s.no, s.row_no, s.row_place, s.level_no, c.no is not null as chosen,
        not s.wheelchair and s.companion_of is null as usual,
        s.row_place - row_number() over (partition by s.row_no order by s.row_place) as stretch
      from seats s left join chosen c on c.no = s.no
      where s.event_id = p_event and s.row_no in (select row_no from chosen)
        and (s.status = 0 or s.status = 1 and s.held_until <= now())
    ), seen as (
      select *, row_number() over along as nth, count(*) over (partition by row_no, stretch) as length,
        count(*) filter (where chosen) over (partition by row_no, stretch) as size,
        not chosen and coalesce(lag(chosen) over along, true) and coalesce(lead(chosen) over along, true) as alone,
        usual and level_no in (select c.level_no from chosen c) as fits,
        count(*) filter (where usual and level_no in (select c.level_no from chosen c)) over along as fit
      from free
      window along as (partition by row_no, stretch order by row_place)
    ), stranding as (
      select row_no, stretch, size, count(*) as strands, array_agg(no) as nos
      from seen
      where alone and usual and size > 0
      group by row_no, stretch, size
    )
    select array_agg(x.no order by x.no)
    from (
      select unnest(c.nos) as no
      from stranding c
      where exists (
        select
        from seen f join seen l on l.row_no = f.row_no and l.stretch = f.stretch and l.nth = f.nth + c.size - 1
        where f.row_no = c.row_no and (f.stretch = c.stretch or f.size = 0)
          and l.fit - f.fit + f.fits::int = c.size
          and (f.nth = 2)::int + (l.nth = l.length - 1)::int < c.strands)
    ) x
  );
end;
$$;

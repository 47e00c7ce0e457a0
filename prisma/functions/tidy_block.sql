-- Of the free seats in some rows the block side by side that leaves the fewest single seats behind: of p_size seats, or of fewer
-- where no stretch has as many; of equal ones the best by rank. So its row never has a better one, in the sense of
-- stranded_seats. Null where no seat is free. Wheelchair seats and their companions are left out, as are seats of another level
-- than p_level, where that is given; p_taken count as gone.
--
-- Unlike blocks_among it looks at every block, and at each seat beside it: for a few rows, under lock_rows.
--
-- Planned once for a connection, as begin_hold.
create function tidy_block(p_event text, p_level smallint, p_rows int[], p_size int, p_taken int[]) returns int[]
language plpgsql
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
begin
  return (
    with found as (
      select s.no, s.row_no, s.row_place, s.level_no, s.rank,
        not s.wheelchair and s.companion_of is null and (p_level is null or s.level_no = p_level) as fits,
        not s.wheelchair and s.companion_of is null and s.across is null as strandable,
        ring_size(s.row_place) as ring, s.row_place % 65536 as nth,
        row_number() over (partition by s.row_no order by s.row_place)::int as at,
        count(*) over (partition by s.row_no)::int as free
      from seats s
      where s.event_id = p_event and s.row_no = any (p_rows) and s.no <> all (p_taken)
        and is_free(s.status, s.held_until)
    ), opened as (
      -- A closed row is cut at a seat that is gone, or at one that does not fit: no block is around it.
      select f.*, f.ring > 0 and f.free = f.ring as closed,
        case when f.ring = 0 then f.row_place
          else (f.nth - coalesce(
            case when f.free = f.ring then min(f.nth) filter (where not f.fits) over whole end,
            min(case when f.nth <> f.at then f.at end) over whole,
            f.free + 1) + f.ring) % f.ring end as position
      from found f
      window whole as (partition by f.row_no)
    ), free as (
      select o.*, o.position - row_number() over (partition by o.row_no order by o.position) as stretch
      from opened o
    ), seen as (
      select *, not closed and row_number() over along = 2 and first_value(strandable) over along as strands_before,
        not closed and row_number() over along = count(*) over along - 1
          and last_value(strandable) over along as strands_after
      from free
      window along as (
        partition by row_no, stretch order by position
        rows between unbounded preceding and unbounded following)
    ), fit as (
      select *, position - row_number() over (partition by row_no order by position) as run
      from seen
      where fits
    ), sized as (
      select *, array_agg(no) over block as nos, sum(rank) over block as ranks,
        last_value(strands_after) over block as block_strands_after,
        least(p_size, count(*) over (partition by row_no, run)) as size
      from fit
      window block as (
        partition by row_no, run order by position rows between current row and p_size - 1 following)
    )
    select b.nos
    from sized b
    where cardinality(b.nos) = b.size
    order by b.size desc, b.strands_before::int + b.block_strands_after::int + (b.closed and b.size = b.free - 1)::int, b.ranks
    limit 1
  );
end;
$$;

-- Finds and locks the best group of free seats on both sides of one table: the second best of p_size seats together, where no
-- row has them side by side. Facing pairs that follow each other, and for an odd number a seat beside the last of them. Few
-- halls have tables, and an index of their seats alone ends the search of the others.
--
-- nos        the group; null where there is none, or where none could be locked. Without p_take the best, unlocked
-- available  the seats of the largest group; p_size where a committed read shows one that is large enough
--
-- p_take: false: look only, and lock nothing. p_section, p_level: null for any. p_except: see free_seats.
create function take_across(
  p_event text,
  p_section smallint,
  p_level smallint,
  p_size int,
  p_take boolean,
  p_except int[] default null,
  out nos int[],
  out available int
)
language plpgsql
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
declare
  v_group record;
  v_pairs int := p_size / 2;
begin
  available := 0;
  if p_size < 2 then
    return;
  end if;
  for v_group in
    with free as (
      select s.no, s.across, s.row_no, s.row_place, s.rank
      from seats s
      where s.event_id = p_event and s.across is not null
        and is_free(s.status, s.held_until)
        and (p_section is null or s.section_no = p_section) and (p_level is null or s.level_no = p_level)
        and not s.wheelchair and s.companion_of is null
        and (p_except is null or cell_no(s.section_no, s.level_no) <> all (p_except))
    ), pair as (
      select a.no, b.no as other, a.row_no, a.row_place, b.row_no as other_row, b.row_place as other_place,
        a.rank + b.rank as rank,
        a.row_place - row_number() over (partition by a.row_no, b.row_no order by a.row_place) as stretch
      from free a join free b on b.no = a.across
      where a.no < b.no
    ), sized as (
      select array_agg(p.no) over pairs || array_agg(p.other) over pairs as nos, sum(p.rank) over pairs as rank,
        count(*) over pairs as pairs, count(*) over (partition by p.row_no, p.other_row, p.stretch) as longest,
        p.row_no, p.other_row, array_agg(p.row_place) over pairs as places, array_agg(p.other_place) over pairs as other_places
      from pair p
      window pairs as (
        partition by p.row_no, p.other_row, p.stretch order by p.row_place
        rows between current row and v_pairs - 1 following)
    )
    select case when z.pairs = v_pairs and (p_size % 2 = 0 or e.no is not null) then z.nos || array_remove(array[e.no], null) end as nos,
      2 * z.longest as largest, z.rank + coalesce(e.rank, 0) as rank
    from sized z
    left join lateral (
      select f.no, f.rank
      from free f
      where p_size % 2 = 1 and f.no <> all (z.nos)
        and (f.row_no = z.row_no and (f.row_place - 1 = any (z.places) or f.row_place + 1 = any (z.places))
          or f.row_no = z.other_row and (f.row_place - 1 = any (z.other_places) or f.row_place + 1 = any (z.other_places)))
      order by f.rank
      limit 1
    ) e on true
    order by 1 is null, 3
    limit 24
  loop
    if v_group.nos is null then
      available := greatest(available, least(v_group.largest, p_size - 1));
      continue;
    end if;
    if available < p_size then
      available := p_size;
      if not p_take then
        nos := v_group.nos;
        return;
      end if;
      perform begin_locking(false);
    end if;
    if lock_free_seats(p_event, v_group.nos, false) then
      nos := v_group.nos;
      return;
    end if;
  end loop;
end;
$$;

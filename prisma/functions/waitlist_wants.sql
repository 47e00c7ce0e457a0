-- The free seats of a choice that an entry of the waitlist needs: with the other free seats they fit it. Null where there are none.
-- An ordinary hold of one of these seats is refused: they are the waitlist's.
--
-- An entry that wants seats side by side needs the seats of a stretch that is long enough, and no others. Any other entry needs
-- each seat that it could take once as many are free as it takes.
--
-- Of each combination of section, level and kind only the smallest demand counts, so a choice meets a dozen demands at most,
-- however many entries wait. A look for seats that need not be side by side ends at the last one that is needed. It walks far
-- only where few seats are left.
create function waitlist_wants(p_event text, p_seats int[]) returns int[]
language plpgsql
set enable_seqscan = off
as $$
declare
  v_demand record;
  v_fits boolean;
  v_wanted int[];
begin
  for v_demand in
    select d.section_no, d.level_no, d.together, d.wheelchair_seats, c.section_no as own_section,
      c.row_no is null as is_area, min(d.need) as need, array_agg(distinct c.no) as nos,
      array_agg(distinct c.row_no) as rows
    from unnest(p_seats) u (no)
    join seats c on c.event_id = p_event and c.no = u.no
    join waitlist_demand d on d.event_id = c.event_id
      and d.section_no in (c.section_no, -1) and d.level_no in (c.level_no, -1)
      and (d.wheelchair_seats > 0) = (c.wheelchair or c.companion_of is not null)
    group by d.section_no, d.level_no, d.together, d.wheelchair_seats, c.section_no, c.row_no is null
  loop
    continue when v_wanted @> v_demand.nos;
    if v_demand.wheelchair_seats > 0 then
      v_fits := wheelchair_seats(
        p_event, v_demand.own_section, nullif(v_demand.level_no, -1::smallint), v_demand.wheelchair_seats, v_demand.need,
        v_demand.need) is not null;
    elsif v_demand.is_area then
      v_fits := see_general_admission(p_event, v_demand.own_section, v_demand.need) >= v_demand.need;
    elsif v_demand.together then
      select array_agg(x.no) into v_demand.nos
        from (
          select y.no, count(*) over (partition by y.row_no, y.stretch) as length
          from (
            select o.no, o.row_no, o.position - row_number() over (partition by o.row_no order by o.position) as stretch
            from (
              -- A closed row is cut at a seat that is gone.
              select f.no, f.row_no,
                case when f.ring = 0 then f.row_place
                  else (f.row_place % 65536
                    - coalesce(min(case when f.row_place % 65536 <> f.at then f.at end) over (partition by f.row_no), f.free + 1)
                    + f.ring) % f.ring end as position
              from (
                select s.no, s.row_no, s.row_place, ring_size(s.row_place) as ring,
                  row_number() over (partition by s.row_no order by s.row_place)::int as at,
                  count(*) over (partition by s.row_no)::int as free
                from seats s
                where s.event_id = p_event and s.row_no = any (v_demand.rows)
                  and (v_demand.level_no = -1 or s.level_no = v_demand.level_no)
                  and not s.wheelchair and s.companion_of is null
                  and is_free(s.status, s.held_until)
              ) f
            ) o
          ) y
        ) x
        where x.length >= v_demand.need and x.no = any (v_demand.nos);
      v_fits := v_demand.nos is not null;
    else
      v_fits := (
        see_best(
          p_event, nullif(v_demand.section_no, -1::smallint), nullif(v_demand.level_no, -1::smallint), v_demand.need, false, 0)
      ).available >= v_demand.need;
    end if;
    if v_fits then
      v_wanted := v_wanted || v_demand.nos;
    end if;
  end loop;
  return v_wanted;
end;
$$;

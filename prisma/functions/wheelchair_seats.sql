-- Free wheelchair seats with companion seats of theirs, all in one section: p_wheelchairs of the first, and p_need to p_most seats
-- in all. Null where no section has them. Locks nothing. p_section, p_level: null for any.
create function wheelchair_seats(
  p_event text,
  p_section smallint,
  p_level smallint,
  p_wheelchairs int,
  p_need int,
  p_most int
) returns int[]
language sql stable
as $$
  with place as (
    select s.no, s.section_no, s.rank, c.companions,
      row_number() over (partition by s.section_no order by cardinality(c.companions) desc, s.rank, s.no) as nth
    from seats s
    cross join lateral (
      select array(
        select c.no from seats c
        where c.event_id = s.event_id and c.companion_of = s.no and is_free(c.status, c.held_until)
        order by c.no) as companions
    ) c
    where s.event_id = p_event and s.wheelchair and is_free(s.status, s.held_until)
      and (p_section is null or s.section_no = p_section) and (p_level is null or s.level_no = p_level)
  ), fit as (
    select p.section_no, least(p_most, count(*) + sum(cardinality(p.companions))) as size, min(p.rank) as rank
    from place p
    where p.nth <= p_wheelchairs
    group by p.section_no
    having count(*) = p_wheelchairs and count(*) + sum(cardinality(p.companions)) >= p_need
    order by 2 desc, 3, 1
    limit 1
  )
  select array_agg(x.no order by x.no)
  from (
    select y.no
    from fit f
    join place p on p.section_no = f.section_no and p.nth <= p_wheelchairs
    cross join lateral (
      select p.no, 0 as is_companion
      union all
      select c.no, 1 from unnest(p.companions) c (no)
    ) y
    order by y.is_companion, p.nth, y.no
    limit p_most
  ) x;
$$;

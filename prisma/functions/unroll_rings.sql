-- Free seats in the form in which free_seats returns them, with each closed row cut open, so that a stretch of its seats is a
-- stretch of positions: at a seat that is not among them, else before the best p_size seats side by side. Other rows stay as
-- they are. Whole rows only. Callers look for a closed row first: nearly no hall has one.
create function unroll_rings(
  inout nos int[],
  inout rows int[],
  inout positions int[],
  inout ranks int[],
  p_size int
)
language plpgsql immutable
set plan_cache_mode = force_generic_plan
as $$
begin
  with seat as (
    select x.*, ring_size(x.position) as ring, x.position % 65536 as nth,
      row_number() over (partition by x.row_no order by x.position)::int as at,
      count(*) over (partition by x.row_no)::int as free
    from unnest(nos, rows, positions, ranks) x (no, row_no, position, rank)
  ), best as (
    -- The best block of a row that is free all around.
    select distinct on (f.row_no) f.row_no, f.nth as first
    from seat f
    cross join lateral (
      select sum(b.rank) as rank
      from seat b
      where b.row_no = f.row_no and (b.nth - f.nth + f.ring) % f.ring < p_size
    ) x
    where f.ring > 0 and f.free = f.ring
    order by f.row_no, x.rank
  ), opened as (
    select s.no, s.row_no, s.rank,
      case when s.ring = 0 then s.position
        else (s.nth - coalesce(b.first, c.gap) + s.ring) % s.ring end as position
    from seat s
    left join best b on b.row_no = s.row_no
    left join (
      select g.row_no, coalesce(min(g.at) filter (where g.nth <> g.at), max(g.at) + 1) as gap
      from seat g
      where g.ring > 0
      group by g.row_no
    ) c on c.row_no = s.row_no
  )
  select array_agg(o.no order by o.row_no, o.position), array_agg(o.row_no order by o.row_no, o.position),
      array_agg(o.position order by o.row_no, o.position), array_agg(o.rank order by o.row_no, o.position)
    into nos, rows, positions, ranks
    from opened o;
end;
$$;

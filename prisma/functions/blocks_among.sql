-- Blocks of p_size seats side by side among free seats as free_seats tells them: from each stretch as many as fit
-- beside one another, and the one at its end. Any others would break stretches into pieces that nobody else fits in.
-- The 64 best, in any order, so that those who ask at the same moment part ways; the best of all first, where
-- p_best_first. Best: what strands no single seat before what does, then by rank.
create function blocks_among(
  p_nos int[],
  p_rows int[],
  p_places int[],
  p_ranks int[],
  p_size int,
  p_best_first boolean
) returns table (nos int[], row_no int)
language sql volatile
as $$
  with free as (
    select x.no, x.row_no, x.place, x.rank,
      x.place - row_number() over (partition by x.row_no order by x.place) as stretch
    from unnest(p_nos, p_rows, p_places, p_ranks) x (no, row_no, place, rank)
  ), along as (
    select f.no, f.row_no, f.rank, row_number() over w as nth,
      count(*) over (partition by f.row_no, f.stretch) as length,
      array_agg(f.no) over (w rows between current row and p_size - 1 following) as nos,
      sum(f.rank) over (w rows between current row and p_size - 1 following) as ranks
    from free f
    window w as (partition by f.row_no, f.stretch order by f.place)
  ), block as (
    select a.nos, a.row_no, row_number() over (
        order by (a.nth = 2)::int + (a.nth + p_size = a.length)::int, a.ranks) as place
    from along a
    where a.nth + p_size - 1 <= a.length
      and ((a.nth - 1) % p_size = 0 or a.nth + p_size - 1 = a.length)
  )
  select b.nos, b.row_no
  from block b
  where b.place <= 64
  order by case when b.place > 1 or not p_best_first then random() end nulls first;
$$;

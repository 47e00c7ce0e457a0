-- Blocks of p_size seats side by side among free seats, in the form in which free_seats returns them. Of each stretch: as many
-- blocks as fit beside one another, and the one at its end. Any other block would break its stretch into pieces that fit
-- no hold.
--
-- The 64 best in random order, so that concurrent calls choose different blocks; where p_best_first, the best of all comes
-- first. A block that strands no single seat is better than one that does; then the rank decides. first_row: the first row
-- with a block that strands none; a block's own where there is none.
--
-- Planned once for a connection, as begin_hold, and stretches before blocks (`bench/best-available.ts`).
create function blocks_among(
  p_nos int[],
  p_rows int[],
  p_positions int[],
  p_ranks int[],
  p_size int,
  p_best_first boolean
) returns table (nos int[], row_no int, first_row int)
language plpgsql
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
begin
  return query
    with stretch as (
      -- Along a stretch, positions in the row and among these seats grow alike.
      select x.row_no, min(x.at)::int as first, count(*)::int as length
      from unnest(p_rows, p_positions) with ordinality x (row_no, position, at)
      group by x.row_no, x.position - x.at
      having count(*) >= p_size
    ), block as (
      select b.first, s.row_no,
        (b.first = s.first + 1)::int + (b.first + p_size = s.first + s.length - 1)::int as strands
      from stretch s
      cross join lateral (
        select generate_series(s.first, s.first + s.length - p_size, p_size) as first
        union
        select s.first + s.length - p_size
      ) b
    ), placed as (
      select b.first, b.row_no, min(b.row_no) filter (where b.strands = 0) over best as first_row,
        row_number() over best as nth
      from block b
      window best as (
        order by b.strands, (select sum(r.rank) from unnest(p_ranks[b.first:b.first + p_size - 1]) r (rank))
        rows between unbounded preceding and unbounded following)
    )
    select p_nos[b.first:b.first + p_size - 1], b.row_no, coalesce(b.first_row, b.row_no)
    from placed b
    where b.nth <= 64
    order by case when b.nth > 1 or not p_best_first then random() end nulls first;
end;
$$;

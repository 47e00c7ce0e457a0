-- Free seats by the rank of their rows, and along each row: up to p_limit, from a row and a position in it on, up to the end
-- of a row. p_section, p_level: null for any. Wheelchair seats and their companions are not among them: a fan holds those by name.
-- p_except: cells (see cell_no) whose seats are left out.
--
-- Planned once for a connection, as begin_hold (`bench/best-available.ts`).
create function free_seats(
  p_event text,
  p_section smallint,
  p_level smallint,
  p_from_row int,
  p_from_position int,
  p_until_row int,
  p_limit int,
  p_except int[] default null,
  out nos int[],
  out rows int[],
  out positions int[],
  out ranks int[]
)
language plpgsql
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
begin
  -- Two statements: each walks along an index of its own, and stops where it has enough.
  if p_section is null then
    select array_agg(x.no), array_agg(x.row_no), array_agg(x.row_place), array_agg(x.rank)
      into nos, rows, positions, ranks
      from (
        select s.no, s.row_no, s.row_place, s.rank from seats s
        where s.event_id = p_event and (s.row_no, s.row_place) >= (p_from_row, p_from_position)
          and s.row_no <= p_until_row and (p_level is null or s.level_no = p_level)
          and not s.wheelchair and s.companion_of is null
          and is_free(s.status, s.held_until)
          and (p_except is null or cell_no(s.section_no, s.level_no) <> all (p_except))
        order by s.row_no, s.row_place
        limit p_limit
      ) x;
  else
    select array_agg(x.no), array_agg(x.row_no), array_agg(x.row_place), array_agg(x.rank)
      into nos, rows, positions, ranks
      from (
        select s.no, s.row_no, s.row_place, s.rank from seats s
        where s.event_id = p_event and s.section_no = p_section
          and (s.row_no, s.row_place) >= (p_from_row, p_from_position)
          and s.row_no <= p_until_row and (p_level is null or s.level_no = p_level)
          and not s.wheelchair and s.companion_of is null
          and is_free(s.status, s.held_until)
          and (p_except is null or cell_no(s.section_no, s.level_no) <> all (p_except))
        order by s.row_no, s.row_place
        limit p_limit
      ) x;
  end if;
end;
$$;

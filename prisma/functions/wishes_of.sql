-- The wishes of a waitlist entry in its order, the first with nth 0. section_no, level_no: null for any.
create function wishes_of(p_section smallint, p_level smallint, p_else_sections smallint[], p_else_levels smallint[])
returns table (nth int, section_no smallint, level_no smallint)
language sql immutable
as $$
  select 0, p_section, p_level
  union all
  select e.nth::int, e.section_no, e.level_no
  from unnest(p_else_sections, p_else_levels) with ordinality e (section_no, level_no, nth);
$$;

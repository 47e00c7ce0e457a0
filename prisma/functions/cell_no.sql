-- One number for a section and a price level: a cell of the plan.
create function cell_no(p_section smallint, p_level smallint) returns int
language sql immutable parallel safe
as $$
  select p_section * 32768 + p_level;
$$;

-- What hold_best could choose from, by committed reads: the longest block or the largest group at a table, or the number of seats
-- where they need not be side by side, up to p_quantity. Locks nothing. p_from_row, first_row: as hold_best's
-- from_row; null where no block is long enough.
create function see_best(
  p_event text,
  p_section smallint,
  p_level smallint,
  p_quantity int,
  p_together boolean,
  p_from_row int,
  out available int,
  out first_row int
)
language plpgsql
as $$
begin
  if p_together then
    select b.available, b.first_row
      into available, first_row
      from take_block(p_event, p_section, p_level, p_quantity, p_from_row, false, false, false) b;
    if available < p_quantity then
      select greatest(see_best.available, a.available)
        into available
        from take_across(p_event, p_section, p_level, p_quantity, false) a;
    end if;
  else
    select least(s.available, p_quantity)
      into available
      from take_seats(p_event, p_section, p_level, p_quantity, p_from_row, false, false, false) s;
  end if;
end;
$$;

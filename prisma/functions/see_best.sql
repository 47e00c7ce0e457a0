-- What hold_best would have to choose from, by committed reads: the longest block, or the number of seats where they need
-- not be side by side, up to p_quantity. Locks nothing.
create function see_best(
  p_event text,
  p_section smallint,
  p_level smallint,
  p_quantity int,
  p_together boolean
) returns int
language plpgsql
as $$
begin
  if p_together then
    return (select available from take_block(
      p_event, p_section, p_level, p_quantity, 0, false, false, false));
  end if;
  return (select least(available, p_quantity) from take_seats(
    p_event, p_section, p_level, p_quantity, 0, false, false, false));
end;
$$;

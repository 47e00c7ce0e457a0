-- The most tickets, up to p_quantity, that a wish could be met with by committed reads: as wish_fits, without regard to the waitlist.
create function most_now(
  p_event text,
  p_section smallint,
  p_level smallint,
  p_together boolean,
  p_wheelchairs int,
  p_quantity int
) returns int
language plpgsql
as $$
begin
  if p_wheelchairs > 0 then
    return coalesce(
      cardinality(wheelchair_seats(p_event, p_section, p_level, p_wheelchairs, p_wheelchairs, p_quantity)), 0);
  end if;
  return greatest(
    (see_best(p_event, p_section, p_level, p_quantity, p_together, 0)).available,
    (select max(see_general_admission(p_event, s.no, p_quantity))
      from sections s
      where s.event_id = p_event and s.kind = 'GENERAL_ADMISSION'
        and (p_section is null or s.no = p_section) and (p_level is null or p_level = any (s.level_nos))));
end;
$$;

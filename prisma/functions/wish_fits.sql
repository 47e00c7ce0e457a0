-- Whether an ordinary hold could take what a wish asks for, by committed reads: the seats to choose from, or null. Locks nothing.
-- Seats that the waitlist needs do not count: see waitlist_wants.sql.
--
-- nos    seats that fit; of an area as many units as are wanted
-- area   the area of general admission that they are in; null for seats
--
-- p_together: side by side in one row. p_section, p_level: null for any.
create function wish_fits(
  p_event text,
  p_section smallint,
  p_level smallint,
  p_together boolean,
  p_wheelchairs int,
  p_quantity int,
  out nos int[],
  out area smallint
)
language plpgsql
as $$
declare
  v_area record;
  v_row int;
  v_free record;
begin
  if p_wheelchairs > 0 then
    nos := wheelchair_seats(p_event, p_section, p_level, p_wheelchairs, p_quantity, p_quantity);
    if waitlist_wants(p_event, nos) is not null then
      nos := null;
    end if;
    return;
  end if;

  if p_together then
    v_row := (take_block(p_event, p_section, p_level, p_quantity, 0, false, false, false)).first_row;
    if v_row is not null then
      v_free := free_seats(p_event, p_section, p_level, v_row, 0, v_row, 65536);
      if 65536 < any (v_free.positions) then
        v_free := unroll_rings(v_free.nos, v_free.rows, v_free.positions, v_free.ranks, p_quantity);
      end if;
      select b.nos into nos
        from blocks_among(v_free.nos, v_free.rows, v_free.positions, v_free.ranks, p_quantity, true) b
        limit 1;
    else
      nos := (take_across(p_event, p_section, p_level, p_quantity, false)).nos;
    end if;
  else
    nos := (free_seats(p_event, p_section, p_level, 0, 0, 2147483647, p_quantity)).nos;
    if cardinality(nos) < p_quantity then
      nos := null;
    end if;
  end if;
  if nos is not null and waitlist_wants(p_event, nos) is null then
    return;
  end if;
  nos := null;

  for v_area in
    select s.no, s.first_seat, s.capacity
    from sections s
    where s.event_id = p_event and s.kind = 'GENERAL_ADMISSION'
      and (p_section is null or s.no = p_section) and (p_level is null or p_level = any (s.level_nos))
    order by s.no
  loop
    nos := array(
      select s.no from seats s
      where s.event_id = p_event and s.no >= v_area.first_seat and s.no < v_area.first_seat + v_area.capacity
        and is_free(s.status, s.held_until)
      order by s.no
      limit p_quantity);
    if cardinality(nos) = p_quantity and waitlist_wants(p_event, nos) is null then
      area := v_area.no;
      return;
    end if;
  end loop;
  nos := null;
end;
$$;

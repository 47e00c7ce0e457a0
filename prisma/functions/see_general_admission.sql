-- How many units of a general-admission area a committed read shows free, up to p_quantity.
create function see_general_admission(p_event text, p_section smallint, p_quantity int) returns int
language plpgsql
as $$
declare
  v_first int;
  v_end int;
begin
  select s.first_seat, s.first_seat + s.capacity
    into v_first, v_end
    from sections s
    where s.event_id = p_event and s.no = p_section;
  return (
    select count(*)
    from (
      select from seats s
      where s.event_id = p_event and s.no >= v_first and s.no < v_end
        and is_free(s.status, s.held_until)
      order by s.no
      limit p_quantity
    ) x
  );
end;
$$;

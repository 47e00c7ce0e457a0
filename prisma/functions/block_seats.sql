-- Takes seats and places off sale, or puts them back on. Returns a row per seat that changed, with its new revision.
-- Seats that are held or sold are left as they are, also where their hold has run out: its checkout may still buy them.
-- A seat that somebody is taking at this moment is waited for. To block what is blocked changes nothing.
--
-- Lock order: the waitlist, for what is put back; then seats in seat order. Seats come ascending.
create function block_seats(
  p_event text,
  p_seats int[],
  p_blocked boolean,
  out no int,
  out revision int
) returns setof record
language plpgsql
as $$
declare
  v_from smallint := case when p_blocked then seat_status('AVAILABLE') else seat_status('NOT_FOR_SALE') end;
  v_to smallint := case when p_blocked then seat_status('NOT_FOR_SALE') else seat_status('AVAILABLE') end;
begin
  if not p_blocked then
    -- Where nothing can come back, the sale is not closed for those who wait.
    perform from seats s where s.event_id = p_event and s.no = any (p_seats) and s.status = seat_status('NOT_FOR_SALE');
    if not found then
      return;
    end if;
    perform begin_return(p_event);
  end if;
  perform from seats s
    where s.event_id = p_event and s.no = any (p_seats)
    order by s.no
    for no key update;
  return query
    update seats s
    set status = v_to, revision = s.revision + 1
    where s.event_id = p_event and s.no = any (p_seats) and s.status = v_from
    returning s.no, s.revision;
end;
$$;

-- Takes seats and units of general admission off sale, or puts them back on sale. Returns a row for each one that changed,
-- with its new revision. Held and sold seats stay as they are, also where the hold has run out: its checkout may still buy
-- them. The function waits for a seat that another transaction is taking. A second block changes nothing.
--
-- Seats come ascending. Lock order: the waitlist, for seats that go back on sale; then seats in seat order.
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
    -- Where no seat can come back, the sale stays open to all.
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

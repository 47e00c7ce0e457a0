-- Whether an event is sold out but for offers of the waitlist: as is_sold_out, where seats that are held as offers count as sold as
-- long as the offers live.
create function only_offers_left(p_event text) returns boolean
language sql stable
as $$
  select not exists (
    select from seats s
    where s.event_id = p_event and s.status in (seat_status('AVAILABLE'), seat_status('HELD'))
      and (s.status = seat_status('HELD') or s.companion_of is null or exists (
        select from seats w
        where w.event_id = s.event_id and w.no = s.companion_of
          and w.status in (seat_status('AVAILABLE'), seat_status('HELD'))))
      and (is_free(s.status, s.held_until) or not exists (
        select from waitlist_entries e
        where e.event_id = s.event_id and e.state = 'OFFERED' and e.hold_id = s.hold_id)));
$$;

-- Whether an event is sold out: every seat is sold or not for sale, and not merely held. A companion seat whose wheelchair seat
-- was sold alone is for that seat's owner only, and keeps no sale open.
create function is_sold_out(p_event text) returns boolean
language sql stable
as $$
  select not exists (
    select from seats s
    where s.event_id = p_event and s.status in (seat_status('AVAILABLE'), seat_status('HELD'))
      and (s.status = seat_status('HELD') or s.companion_of is null or exists (
        select from seats w
        where w.event_id = s.event_id and w.no = s.companion_of
          and w.status in (seat_status('AVAILABLE'), seat_status('HELD')))));
$$;

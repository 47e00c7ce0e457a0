-- Holds any places of a general-admission area for an account, as many as asked for or none, in one round trip.
-- Answers as hold_seats; not_enough tells how many a committed read shows free. p_look: false to answer `unseen` where
-- the gates let the hold pass, and to look at no place: see see_general_admission.
create function hold_general_admission(
  p_event text,
  p_account text,
  p_key text,
  p_input_hash text,
  p_hold text,
  p_arrival int,
  p_place int,
  p_device bytea,
  p_wait boolean,
  p_section smallint,
  p_quantity int,
  p_look boolean,
  out answer hold_answer
)
language plpgsql
as $$
declare
  v_begun record;
  v_first int;
  v_end int;
  v_start int;
  v_units int[];
begin
  v_begun := begin_hold(
    p_event, p_account, p_key, p_input_hash, p_quantity, null, p_arrival, p_place, p_device);
  answer := v_begun.answer;
  if answer.outcome is null and not p_look then
    answer.outcome := 'unseen';
  end if;
  if answer.outcome is not null then
    return;
  end if;

  -- What is said of an area that is full is said before any lock, as cheaply as a look at it.
  answer.available := see_general_admission(p_event, p_section, p_quantity);
  if answer.available < p_quantity then
    answer.outcome := 'not_enough';
    return;
  end if;

  select s.first_seat, s.first_seat + s.capacity
    into v_first, v_end
    from sections s
    where s.event_id = p_event and s.no = p_section;
  perform begin_locking(p_wait);
  if p_wait then
    -- Ascending, as everybody who waits.
    v_units := array(
      select s.no from seats s
      where s.event_id = p_event and s.no >= v_first and s.no < v_end
        and is_free(s.status, s.held_until)
      order by s.no
      limit p_quantity
      for no key update);
  else
    -- From anywhere on and around the end: from the front, everybody would walk past the same places that are gone.
    v_start := v_first + floor(random() * (v_end - v_first))::int;
    v_units := array(
      select s.no from seats s
      where s.event_id = p_event and s.no >= v_start and s.no < v_end
        and is_free(s.status, s.held_until)
      order by s.no
      limit p_quantity
      for no key update skip locked);
    if cardinality(v_units) < p_quantity then
      v_units := v_units || array(
        select s.no from seats s
        where s.event_id = p_event and s.no >= v_first and s.no < v_start
          and is_free(s.status, s.held_until)
        order by s.no
        limit p_quantity - cardinality(v_units)
        for no key update skip locked);
    end if;
  end if;
  if cardinality(v_units) < p_quantity then
    answer.outcome := 'missed';
    return;
  end if;
  answer := write_hold(
    p_event, p_account, p_key, p_input_hash, p_hold, v_units, v_begun.hold_seconds, v_begun.waiting_room);
end;
$$;

-- Holds any units of a general-admission area for an account, all p_quantity or none, in one round trip. Returns what hold_seats
-- returns; the available of not_enough is the number of units that a committed read shows free.
--
-- p_look: false: return `unseen` where the gates let the hold pass, and look at no unit. See see_general_admission
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
  p_address bytea default null,
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
    p_event, p_account, p_key, p_input_hash, p_quantity, null, p_arrival, p_place, p_device,
    p_address);
  answer := v_begun.answer;
  if answer.outcome is null and not p_look then
    answer.outcome := 'unseen';
  end if;
  if answer.outcome is not null then
    return;
  end if;

  -- A full area is refused before any lock, as cheaply as a read of it.
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
    -- Ascending, as every call that waits for locks.
    v_units := array(
      select s.no from seats s
      where s.event_id = p_event and s.no >= v_first and s.no < v_end
        and is_free(s.status, s.held_until)
      order by s.no
      limit p_quantity
      for no key update);
  else
    -- From a random unit to the end, then from the front: all calls that begin in front walk past the same units that are
    -- gone.
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
    p_event, p_account, p_key, p_input_hash, p_hold, v_units, v_begun.hold_seconds, v_begun.waiting_room,
    p_device => p_device, p_address => p_address);
  if answer.outcome = 'wanted' then
    answer.outcome := 'not_enough';
    answer.available := 0;
  end if;
end;
$$;

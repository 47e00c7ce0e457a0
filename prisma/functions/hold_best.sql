-- Holds the best seats for an account, all p_quantity or none, in one round trip. Returns what hold_seats returns.
--
-- p_section, p_level   null for any
-- p_together           side by side in one row, else on both sides of a table, or no hold; otherwise in as few pieces as possible
-- p_from_row           the row where the search begins: a guess that saves the walk past rows that are gone. The rows before it
--                      are searched too before the function refuses
-- p_until_row          only side by side: the last row to search, and no row before p_from_row; null for all rows
-- p_look               false: return `unseen` where the gates let the hold pass, and look at no seat. See see_best
--
-- held also has from_row, the first row with a match. not_enough has available: the longest block that a committed read shows,
-- or the number of seats where they need not be side by side.
create function hold_best(
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
  p_level smallint,
  p_quantity int,
  p_together boolean,
  p_from_row int,
  p_look boolean,
  p_address bytea default null,
  p_until_row int default null,
  out answer hold_answer
)
language plpgsql
as $$
declare
  v_begun record;
  v_found record;
  v_answer hold_answer;
  v_except int[];
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

  for v_try in 1..16 loop
    -- A call that waits for locks does so for its first choice, since it keeps the locks of that one.
    if p_together then
      v_found := take_block(
        p_event, p_section, p_level, p_quantity, p_from_row, true, not v_begun.allow_orphan_seats, p_wait and v_try = 1,
        v_except, p_until_row);
      if v_found.nos is null and v_found.available < p_quantity then
        select a.nos, greatest(v_found.available, a.available) as available, null::int as first_row
          into v_found
          from take_across(p_event, p_section, p_level, p_quantity, true, v_except) a;
      end if;
    else
      v_found := take_seats(
        p_event, p_section, p_level, p_quantity, p_from_row, true, not v_begun.allow_orphan_seats, p_wait and v_try = 1,
        v_except);
    end if;
    if v_found.nos is null then
      answer.outcome := case when v_found.available < p_quantity then 'not_enough' else 'missed' end;
      answer.available := v_found.available;
      return;
    end if;
    v_answer := write_hold(
      p_event, p_account, p_key, p_input_hash, p_hold, v_found.nos, v_begun.hold_seconds,
      v_begun.waiting_room, p_device => p_device, p_address => p_address);
    if v_answer.outcome <> 'wanted' then
      answer := v_answer;
      answer.from_row := v_found.first_row;
      return;
    end if;
    -- The waitlist's: choose elsewhere.
    v_except := v_except || array(
      select distinct cell_no(s.section_no, s.level_no) from seats s
      where s.event_id = p_event and s.no = any (v_answer.taken));
  end loop;
  answer.outcome := 'not_enough';
  answer.available := 0;
end;
$$;

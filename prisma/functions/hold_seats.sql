-- Holds named seats for an account, all or none, in one round trip. Every answer is a row: an error would cost the caller its
-- connection. Seats come ascending, each once, and exist.
--
-- outcome              its fields
-- held                 the hold, and the revisions of its seats
-- known                the hold that this key made before, as it is now; or the account's live hold that has all named seats
-- key_reused           this key was used with another input
-- taken                taken: the seats that a committed read shows taken, or that the waitlist needs, without those of the account's
--                      live holds. retry_at: when all of them may have come back; null where one is sold or not for sale
-- own_seats            the other seats are free, and taken has those of the account's live hold hold_id: of several holds the one
--                      with most of them. retry_at: when the last of these holds ends
-- not_enough           hold_best, hold_general_admission. available: what a committed read shows
-- orphans              stranded: the single seats that the choice would leave behind where a better one exists
-- wheelchair_required  wheelchair_seats: without them a companion seat of the choice is not sold
-- unseen               hold_best, hold_general_admission with p_look false: the gates let the hold pass
-- missed               a seat was locked, or was taken at this very moment: no verdict, call again
-- busy                 another call of this account is running: call again
-- ticket_limit         ticket_limit, used. retry_at: when enough of what counts may have come back; null for never
-- too_many_holds       retry_at
-- device_limit, address_limit   retry_at: see check_origin.sql
-- crowded              other calls from this device or address are running: call again
-- sold_out             the free seats are the waitlist's
-- not_open             retry_at
-- admission_required, no_seat_picking, paused, ended, no_sale
--
-- p_device, p_address: digests of the client's, which the hold keeps while it lives; null where they are unknown
-- p_wheelchair_seats: wheelchair seats that are not chosen and whose companion seats are
--
-- READ COMMITTED gives every statement a snapshot of its own, so each step is a statement.
create function hold_seats(
  p_event text,
  p_account text,
  p_key text,
  p_input_hash text,
  p_hold text,
  p_arrival int,
  p_place int,
  p_device bytea,
  p_wait boolean,
  p_seats int[],
  p_wheelchair_seats int[],
  p_address bytea default null,
  out answer hold_answer
)
language plpgsql
as $$
declare
  v_begun record;
begin
  -- 1 to 3: key, gates, seats seen taken, the account's lock and limits.
  v_begun := begin_hold(
    p_event, p_account, p_key, p_input_hash, cardinality(p_seats), p_seats, p_arrival, p_place, p_device,
    p_address);
  answer := v_begun.answer;
  if answer.outcome is not null then
    return;
  end if;

  -- The owner of a wheelchair seat may have its companion seat too. A hold of the wheelchair seat is not enough: it could
  -- be released, and the companion seat bought alone.
  if cardinality(p_wheelchair_seats) > 0 then
    select array_agg(w.no order by w.no)
      into answer.wheelchair_seats
      from unnest(p_wheelchair_seats) w (no) join seats s on s.event_id = p_event and s.no = w.no
      where not exists (
        select from orders o
        where o.event_id = p_event and o.id = s.order_id and o.account_id = p_account and s.status = seat_status('SOLD'));
    if answer.wheelchair_seats is not null then
      answer.outcome := 'wheelchair_required';
      return;
    end if;
  end if;

  perform begin_locking(p_wait);
  if not v_begun.allow_orphan_seats then
    if not lock_rows(
      p_event,
      array(
        select distinct s.row_no from seats s
        where s.event_id = p_event and s.no = any (p_seats) and s.row_no is not null
        order by s.row_no),
      p_wait)
    then
      answer.outcome := 'missed';
      return;
    end if;
    answer.stranded := stranded_seats(p_event, p_seats);
    if answer.stranded is not null then
      answer.outcome := 'orphans';
      return;
    end if;
  end if;

  -- 4, 5.
  if lock_free_seats(p_event, p_seats, p_wait) then
    answer := write_hold(
      p_event, p_account, p_key, p_input_hash, p_hold, p_seats, v_begun.hold_seconds, v_begun.waiting_room,
      p_device => p_device, p_address => p_address);
    if answer.outcome = 'wanted' then
      answer.outcome := 'taken';
    end if;
  else
    answer.outcome := 'missed';
  end if;
end;
$$;

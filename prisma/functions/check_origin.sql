-- Checks the limits of a hold's device and address before it is written. The limits are exact: the live holds of an origin never
-- have more seats than its limit together, however many calls come at once.
--
-- outcome         null: the hold may go on, and the transaction keeps the origin's locks
--                 device_limit, address_limit: a committed read shows the limit reached; retry_at: when enough of it may have
--                 come back
--                 crowded: other calls of the origin run at this moment: call again
--
-- A device has one lock, since it is one fan's or a family's. An address may be a carrier's or a campus's, with many honest
-- fans who hold at the same moment, and its calls exclude each other near the limit only. It has eight locks, called lanes:
--
-- - Far from the limit a call takes one lane of 2 to 8, whichever is free. So seven calls at most run at once, six unseen by
--   the seventh's snapshot. A call is far where its own seats and six times the ticket limit still fit after it.
-- - Near the limit a call takes all the lanes, the first one first: so a call that meets another one near the limit gives up
--   at once. Then no call of the address runs beside it, and it counts again.
--
-- A lane is free only once its last owner has committed, so a snapshot taken under a lane lacks only the calls that run.
--
-- A hold that had run out and is paid after all was not counted meanwhile.
--
-- Only live holds have an origin, and the queries do not say so again: with `ended_at is null` a planner without statistics may
-- choose the index of all live holds. Each origin's holds are read in the order of the index that finds them, and the offset
-- keeps the comparison with the clock out of the choice. The planner's settings are those of begin_hold, the only caller:
-- settings of its own would cost each hold more than the rest of this function.
create function check_origin(
  p_event text,
  p_device bytea,
  p_address bytea,
  p_quantity int,
  p_ticket_limit int,
  p_per_device int,
  p_per_address int,
  out outcome text,
  out retry_at timestamptz
)
language plpgsql
as $$
declare
  v_first int := floor(random() * 7);
  v_clock timestamptz := sale_clock();
  v_own int;
  v_of_device int;
  v_of_address int;
  v_is_alone boolean := p_address is null;
begin
  if p_device is not null and not pg_try_advisory_xact_lock(origin_lock(p_event, p_device, 0)) then
    outcome := 'crowded';
    return;
  end if;
  if p_address is not null then
    for i in 0 .. 6 loop
      v_own := 2 + (v_first + i) % 7;
      exit when pg_try_advisory_xact_lock(origin_lock(p_event, p_address, v_own));
      v_own := null;
    end loop;
    if v_own is null then
      outcome := 'crowded';
      return;
    end if;
  end if;

  loop
    select
        (select coalesce(sum(x.quantity), 0) from (
          select h.quantity, h.expires_at from holds h
          where h.event_id = p_event and h.device = p_device
          order by h.expires_at
          offset 0
        ) x where x.expires_at > v_clock),
        (select coalesce(sum(x.quantity), 0) from (
          select h.quantity, h.expires_at from holds h
          where h.event_id = p_event and h.address = p_address
          order by h.expires_at
          offset 0
        ) x where x.expires_at > v_clock)
      into v_of_device, v_of_address;
    if v_of_device + p_quantity > p_per_device then
      outcome := 'device_limit';
      retry_at := origin_back_at(p_event, p_device, null, v_of_device + p_quantity - p_per_device);
      return;
    end if;
    if v_of_address + p_quantity > p_per_address then
      outcome := 'address_limit';
      retry_at := origin_back_at(p_event, null, p_address, v_of_address + p_quantity - p_per_address);
      return;
    end if;
    exit when v_is_alone or v_of_address + p_quantity + 6 * p_ticket_limit <= p_per_address;

    for v_lane in 1 .. 8 loop
      if v_lane <> v_own and not pg_try_advisory_xact_lock(origin_lock(p_event, p_address, v_lane)) then
        outcome := 'crowded';
        return;
      end if;
    end loop;
    v_is_alone := true;
  end loop;
end;
$$;

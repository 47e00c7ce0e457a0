-- Locks the seats of a hold in seat order. Returns their numbers where all of them are still this hold's, null where one is gone.
-- Waits for a transaction that is taking one. The time does not matter: a hold that ran out keeps the seats that no other
-- hold took.
create function lock_own_seats(p_event text, p_hold text) returns int[] language plpgsql
set enable_seqscan = off
as $$
declare
  v_seats int[] := array(
    select i.seat_no from hold_items i where i.event_id = p_event and i.hold_id = p_hold
  );
  v_ours int[];
begin
  -- A row whose lock was waited for is read as the other transaction left it, not as this statement's snapshot has it.
  select array_agg(locked.no order by locked.no) filter (where locked.hold_id = p_hold) into v_ours
    from (
      select s.no, s.hold_id
        from seats s
        where s.event_id = p_event and s.no = any (v_seats)
        order by s.no
        for no key update
    ) locked;
  return case when cardinality(v_ours) = cardinality(v_seats) then v_ours end;
end
$$;

-- Step 4 of every hold: locks free seats, in the order given. Returns whether all of them were free, and stops at the first that
-- was not. p_wait: waits for locks, and then the order must be ascending.
--
-- One by one: with one statement over all of them, two equal choices could each lock half, and both fail.
create function lock_free_seats(p_event text, p_seats int[], p_wait boolean) returns boolean
language plpgsql
as $$
declare
  v_no int;
begin
  foreach v_no in array p_seats loop
    if p_wait then
      perform from seats s
        where s.event_id = p_event and s.no = v_no
          and is_free(s.status, s.held_until)
        for no key update;
    else
      perform from seats s
        where s.event_id = p_event and s.no = v_no
          and is_free(s.status, s.held_until)
        for no key update skip locked;
    end if;
    if not found then
      return false;
    end if;
  end loop;
  return true;
end;
$$;

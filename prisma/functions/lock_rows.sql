-- Locks rows of seats, so that what is chosen in one is checked and committed by one at a time: two choices that are
-- fine apart can strand a seat together. False where a row is locked by somebody else and p_wait is not set. Rows
-- ascending, and before any seat: whoever waits does so in one order.
create function lock_rows(p_event text, p_rows int[], p_wait boolean) returns boolean language plpgsql as $$
declare
  v_row int;
  v_key bigint;
begin
  foreach v_row in array p_rows loop
    v_key := hashtextextended('row ' || v_row || ' ' || p_event, 0);
    if p_wait then
      perform pg_advisory_xact_lock(v_key);
    elsif not pg_try_advisory_xact_lock(v_key) then
      return false;
    end if;
  end loop;
  return true;
end;
$$;

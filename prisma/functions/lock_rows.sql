-- Locks rows of seats, so that choices in one row are checked and committed one after another: two choices that are fine apart
-- can strand a seat together. False where another transaction has locked a row and p_wait is not set. Rows come ascending, and
-- before any seat, so that all calls that wait do so in one order.
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

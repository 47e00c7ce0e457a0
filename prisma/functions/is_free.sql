-- Whether a seat can be held: it is available, or its hold's time has run out (see sale_clock.sql). The only copy of this rule.
--
-- The planner inlines the body, so plans are the same as with the body itself (test/sql/seatStatus.test.ts compares them). The
-- statuses are numbers here, and only here: see seat_status. Names in this body would be resolved again for each plan of each
-- statement that calls it, which takes half as long as the rest of such a statement's planning. The comparison with now() decides
-- nothing. It spares the read of the pulse for each seat whose hold is alive anyway.
create function is_free(p_status smallint, p_held_until timestamptz) returns boolean
language sql stable parallel safe
as $$
  select p_status = 0 or p_status = 1 and p_held_until <= now() and p_held_until <= sale_clock();
$$;

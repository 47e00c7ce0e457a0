-- Whether a seat can be held: it is available, or its hold's time has run out. The one place for this rule.
--
-- The planner puts the body in the place of a call (test/sql/seatStatus.test.ts looks at the plan), so indexes serve as if it
-- stood there. The statuses are numbers here, and only here: see seat_status. A name in this body would be resolved again
-- for each plan of each statement that calls it, which takes half of such a statement's planning time.
create function is_free(p_status smallint, p_held_until timestamptz) returns boolean
language sql stable parallel safe
as $$
  select p_status = 0 or p_status = 1 and p_held_until <= now();
$$;

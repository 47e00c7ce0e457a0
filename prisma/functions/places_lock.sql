-- The advisory lock that keeps the journal of an event's places apart from the making of a new copy of it. Transactions that
-- journal share it; the one that copies has it alone.
create function places_lock(p_event text) returns bigint language sql immutable as $$
  select hashtextextended('places ' || p_event, 0)
$$;

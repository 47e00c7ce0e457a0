-- What keeps the journal of an event's places apart from the making of a new copy of it, as an advisory lock:
-- shared by those who journal, exclusive for the one who copies.
create function places_lock(p_event text) returns bigint language sql immutable as $$
  select hashtextextended('places ' || p_event, 0)
$$;

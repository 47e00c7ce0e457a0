-- When a sale's waitlist is over: with the sale; for a sale without an end, a day after the event began. A function of values,
-- and not of the event, so that the planner inlines it.
create function waitlist_end(p_ends_at timestamptz, p_starts_at timestamptz) returns timestamptz
language sql stable
as $$
  select coalesce(p_ends_at, p_starts_at + interval '1 day');
$$;

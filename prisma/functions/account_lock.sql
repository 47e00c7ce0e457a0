-- The advisory lock under which an account's limits for one event are checked. Calls of one account exclude each other, and no
-- other account's.
create function account_lock(p_event text, p_account text) returns bigint
language sql immutable
as $$
  select hashtextextended(p_event || ' ' || p_account, 0);
$$;

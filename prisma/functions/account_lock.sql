-- The advisory lock under which an account's limits of one event are checked: an account races only itself.
create function account_lock(p_event text, p_account text) returns bigint
language sql immutable
as $$
  select hashtextextended(p_event || ' ' || p_account, 0);
$$;

-- Called before a hold locks its first seat or row.
--
-- p_wait: wait for locks, for up to 2 s each
create function begin_locking(p_wait boolean) returns void language plpgsql as $$
begin
  -- A crash may lose the last few holds, and never anything that depends on them: a later durable commit flushes the
  -- commits before it. It is set before the first lock, since a row lock is a write. A setting of the function would be
  -- reset before the commit, and have no effect.
  perform set_config('synchronous_commit', 'off', true);
  if p_wait then
    perform set_config('lock_timeout', '2s', true);
  end if;
end;
$$;

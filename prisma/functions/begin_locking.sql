-- Called before the first lock of a hold's seats or rows. p_wait: wait for locks, for up to 2 s each.
create function begin_locking(p_wait boolean) returns void language plpgsql as $$
begin
  -- A crash may lose the last few holds, and never anything that depends on them: a later durable commit flushes
  -- what came before it. Already here, for a row lock is a write. Set on a function, it would be reset before the
  -- commit and do nothing.
  perform set_config('synchronous_commit', 'off', true);
  if p_wait then
    perform set_config('lock_timeout', '2s', true);
  end if;
end;
$$;

-- Counts a join towards a limit that all processes share, unless the limit is reached already. The time begins with the
-- first one that is counted: no clock but Redis's own has a part in it.
--
-- KEYS[1]  counter
-- ARGV[1]  limit
-- ARGV[2]  how long the joins are counted, in milliseconds
-- Returns  0 where it was counted, else after how many milliseconds the counter begins anew.
if tonumber(redis.call('GET', KEYS[1]) or '0') >= tonumber(ARGV[1]) then
  return math.max(1, redis.call('PTTL', KEYS[1]))
end
if redis.call('INCR', KEYS[1]) == 1 then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
return 0

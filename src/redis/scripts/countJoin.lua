-- Counts a join towards a limit that all processes share, unless the limit is reached. The window begins with the first
-- join that is counted, and is measured by Redis's own clock.
--
-- KEYS[1]  counter
-- ARGV[1]  limit
-- ARGV[2]  length of the window, in milliseconds
-- Returns  0 where the join was counted; else the milliseconds until the counter starts again at zero
if tonumber(redis.call('GET', KEYS[1]) or '0') >= tonumber(ARGV[1]) then
  return math.max(1, redis.call('PTTL', KEYS[1]))
end
if redis.call('INCR', KEYS[1]) == 1 then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
return 0

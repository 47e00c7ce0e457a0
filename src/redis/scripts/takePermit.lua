-- Takes a permit of a limit per second that all processes share.
--
-- The list contains the times of the last permits, newest first. With a limit of n, a permit is free once the n-th last
-- permit is a second old. So no period of one second, wherever it begins, has more permits than the limit.
--
-- The clock of Redis may be set. A permit that lies in the future is from before the clock went back, and its age is unknown. The
-- script then moves all permits to now, so the wait for the next one is a second at most. A clock that goes forward makes
-- permits look old; the limit is then exceeded once, by as many permits as one second has.
--
-- KEYS[1]  list of times in microseconds
-- ARGV[1]  permits a second
-- Returns  0 where the permit was taken; else the milliseconds until the next one is free
local limit = tonumber(ARGV[1])
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
local newest = redis.call('LINDEX', KEYS[1], 0)
if newest and tonumber(newest) > now then
  local taken = redis.call('LLEN', KEYS[1])
  redis.call('DEL', KEYS[1])
  for _ = 1, taken do
    redis.call('LPUSH', KEYS[1], string.format('%.0f', now))
  end
  redis.call('PEXPIRE', KEYS[1], 1000)
end
local earlier = redis.call('LINDEX', KEYS[1], limit - 1)
if earlier then
  local wait = tonumber(earlier) + 1000000 - now
  if wait > 0 then
    return math.ceil(wait / 1000)
  end
end
redis.call('LPUSH', KEYS[1], string.format('%.0f', now))
redis.call('LTRIM', KEYS[1], 0, limit - 1)
redis.call('PEXPIRE', KEYS[1], 1000)
return 0

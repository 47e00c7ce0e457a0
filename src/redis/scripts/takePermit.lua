-- Takes a permit of a limit per second that all processes share.
--
-- The list contains the times of the last permits, newest first. With a limit of n, a permit is free once the n-th last
-- permit is a second old. So no period of one second, wherever it begins, has more permits than the limit.
--
-- KEYS[1]  list of times in microseconds
-- ARGV[1]  permits a second
-- Returns  0 where the permit was taken; else the milliseconds until the next one is free
local limit = tonumber(ARGV[1])
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
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

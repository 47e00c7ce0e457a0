-- An account's place in the line: the one it has, else the next arrival index. A place that is known to be over is
-- replaced by compare-and-set, so that two tabs that both find it over get the same new one.
--
-- KEYS[1]  marks that this Redis has all places of the event: its own run id, and the number of the copy
-- KEYS[2]  the last arrival index given
-- KEYS[3]  hash, one of many: account digest -> arrival index
-- ARGV[1]  the run id that this connection knows
-- ARGV[2]  account digest
-- ARGV[3]  arrival index of the account's place that is over; 0: none
--
-- Returns {arrival index, number of the copy}; {0, 0}: this Redis does not have all places, rebuild them first.
local run, copy = string.match(redis.call('GET', KEYS[1]) or '', '^(%x+)/(%d+)$')
if run ~= ARGV[1] then
  return {0, 0}
end
local arrival = redis.call('HGET', KEYS[3], ARGV[2])
if arrival and arrival ~= ARGV[3] then
  return {tonumber(arrival), tonumber(copy)}
end
arrival = redis.call('INCR', KEYS[2])
redis.call('HSET', KEYS[3], ARGV[2], arrival)
return {arrival, tonumber(copy)}

-- Returns the arrival index of each account: the one that it has, else the next one. An index whose place is over is
-- replaced by compare-and-set, so that two tabs that both find the place over get the same new index.
--
-- KEYS[1]      the mark that this Redis has all places of the event: its own run id, and the number of the copy
-- KEYS[2]      the last arrival index that was assigned
-- KEYS[2 + i]  hash, the bucket of the i-th account: account digest -> arrival index
-- ARGV[1]      the run id of the Redis that the caller is connected to
-- ARGV[2i]     the i-th account's digest
-- ARGV[2i + 1] the arrival index of the account's place that is over; 0 where there is none
-- Returns      the number of the copy, then the arrival index of each account; an empty list where this Redis does not
--              have all places: the caller has to rebuild them first
local run, copy = string.match(redis.call('GET', KEYS[1]) or '', '^(%x+)/(%d+)$')
if run ~= ARGV[1] then
  return {}
end
local result = {tonumber(copy)}
for i = 1, #KEYS - 2 do
  local bucket, account = KEYS[i + 2], ARGV[2 * i]
  local arrival = redis.call('HGET', bucket, account)
  if not arrival or arrival == ARGV[2 * i + 1] then
    arrival = redis.call('INCR', KEYS[2])
    redis.call('HSET', bucket, account, arrival)
  end
  result[i + 1] = tonumber(arrival)
end
return result

-- Accounts' places in the line: for each the one that it has, else the next arrival index. A place that is known to
-- be over is replaced by compare-and-set, so that two tabs that both find it over get the same new one.
--
-- KEYS[1]      marks that this Redis has all places of the event: its own run id, and the number of the copy
-- KEYS[2]      the last arrival index given
-- KEYS[2 + i]  hash, one of many: account digest -> arrival index; the one that the i-th account is in
-- ARGV[1]      the run id that this connection knows
-- ARGV[2i]     the i-th account's digest
-- ARGV[2i + 1] arrival index of its place that is over; 0: none
--
-- Returns the number of the copy, then the arrival index of each account; nothing where this Redis does not have all
-- places: rebuild them first.
local run, copy = string.match(redis.call('GET', KEYS[1]) or '', '^(%x+)/(%d+)$')
if run ~= ARGV[1] then
  return {}
end
local answer = {tonumber(copy)}
for i = 1, #KEYS - 2 do
  local bucket, account = KEYS[i + 2], ARGV[2 * i]
  local arrival = redis.call('HGET', bucket, account)
  if not arrival or arrival == ARGV[2 * i + 1] then
    arrival = redis.call('INCR', KEYS[2])
    redis.call('HSET', bucket, account, arrival)
  end
  answer[i + 1] = tonumber(arrival)
end
return answer

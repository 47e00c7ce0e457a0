-- Writes places into their buckets, in the given order: of several places of one account the last one remains.
--
-- KEYS[1]  the mark of the event's places; a bucket's key is the mark's key, a colon and the bucket's number
-- ARGV[1]  the number of buckets
-- ARGV[2]  places: for each the account's digest (12 bytes) and the arrival index (4 bytes, big-endian)
-- Returns  nothing
local places = ARGV[2]
for at = 1, #places, 16 do
  local account = string.sub(places, at, at + 11)
  local a, b = string.byte(account, 1, 2)
  local bucket = KEYS[1] .. ':' .. (a * 256 + b) % ARGV[1]
  local arrival = struct.unpack('>I4', places, at + 12)
  redis.call('HSET', bucket, account, arrival)
end

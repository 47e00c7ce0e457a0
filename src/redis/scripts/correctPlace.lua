-- Puts an account's place right, by compare-and-set: whoever has changed it meanwhile knew better.
--
-- KEYS[1]  hash, one of many: account digest -> arrival index; the one that the account is in
-- ARGV[1]  the account's digest
-- ARGV[2]  the arrival index that is wrong
-- ARGV[3]  the right one
if redis.call('HGET', KEYS[1], ARGV[1]) == ARGV[2] then
  redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
end

-- Corrects an account's arrival index by compare-and-set. Where another process has changed it since, its value stays.
--
-- KEYS[1]  hash, the account's bucket: account digest -> arrival index
-- ARGV[1]  the account's digest
-- ARGV[2]  the wrong arrival index
-- ARGV[3]  the right arrival index
-- Returns  nothing
if redis.call('HGET', KEYS[1], ARGV[1]) == ARGV[2] then
  redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
end

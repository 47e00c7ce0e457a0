-- Sets a section's whole map where Redis has none, for example after it lost its data. An existing map stays unchanged:
-- merge the seats that differ instead.
--
-- KEYS[1]  string, the section's statuses: 2 bits a seat
-- KEYS[2]  string, its revisions: 4 bytes a seat, big-endian
-- KEYS[3]  hash of the event's sections: `<section>:version`, and `<section>:<status>`, its number of seats of that status
-- ARGV[1]  channel of the section
-- ARGV[2]  the section's number
-- ARGV[3]  statuses
-- ARGV[4]  revisions
-- ARGV[5]  version: the sum of the revisions
-- ARGV[6…9] the number of seats of status 0, 1, 2, 3
-- Publishes the empty message to the section: read the map again
-- Returns  1 where the map was set, 0 where the section had one
local field = ARGV[2] .. ':'
if redis.call('EXISTS', KEYS[1], KEYS[2]) == 2 and redis.call('HEXISTS', KEYS[3], field .. 'version') == 1 then
  return 0
end
redis.call('SET', KEYS[1], ARGV[3])
redis.call('SET', KEYS[2], ARGV[4])
redis.call('HSET', KEYS[3], field .. 'version', ARGV[5],
  field .. '0', ARGV[6], field .. '1', ARGV[7], field .. '2', ARGV[8], field .. '3', ARGV[9])
redis.call('PUBLISH', ARGV[1], '')
return 1

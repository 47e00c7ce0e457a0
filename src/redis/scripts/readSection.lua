-- Returns a section's statuses at one version.
--
-- KEYS[1]  string, the section's statuses: 2 bits a seat
-- KEYS[2]  string, its revisions: 4 bytes a seat, big-endian
-- KEYS[3]  hash of the event's sections: `<section>:version`, and `<section>:<status>`, its number of seats of that status
-- ARGV[1]  the section's number
-- Returns  version, number of available seats, statuses; nil where the section has no map
local counts = redis.call('HMGET', KEYS[3], ARGV[1] .. ':version', ARGV[1] .. ':0')
local statuses = redis.call('GET', KEYS[1])
if not counts[1] or not statuses or redis.call('EXISTS', KEYS[2]) == 0 then
  return false
end
return { counts[1], counts[2], statuses }

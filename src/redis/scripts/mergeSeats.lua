-- Merges changes of a section's seats into its map, updates the counts, and publishes the changes. Of two revisions of a
-- seat the higher one wins, so the changes of several commits may arrive in any order.
--
-- KEYS[1]  string, the section's statuses: 2 bits a seat
-- KEYS[2]  string, its revisions: 4 bytes a seat, big-endian
-- KEYS[3]  hash of the event's sections: `<section>:version`, and `<section>:<status>`, its number of seats of that status
-- ARGV[1]  channel of the section
-- ARGV[2]  the section's number
-- ARGV[3]  channel of the sale
-- ARGV[4…] for each seat: index, status, revision
-- Publishes `<version before> <version> <available> <index>:<status> …` to the section. Where no seat of the section is
--          available or held any more, also the empty message to the sale: it may be sold out
-- Returns  the number of seats that had an older revision; -1 where the section has no map
local versionField = ARGV[2] .. ':version'
if redis.call('EXISTS', KEYS[1], KEYS[2]) < 2 or redis.call('HEXISTS', KEYS[3], versionField) == 0 then
  return -1
end

local newer = 0
local grown = 0
local gained = { 0, 0, 0, 0 }
local changed = {}
for i = 4, #ARGV, 3 do
  local index, status, revision = tonumber(ARGV[i]), tonumber(ARGV[i + 1]), tonumber(ARGV[i + 2])
  local known = struct.unpack('>I4', redis.call('GETRANGE', KEYS[2], 4 * index, 4 * index + 3))
  if revision > known then
    redis.call('SETRANGE', KEYS[2], 4 * index, struct.pack('>I4', revision))
    local before = redis.call('BITFIELD', KEYS[1], 'SET', 'u2', '#' .. index, status)[1]
    newer = newer + 1
    grown = grown + revision - known
    if before ~= status then
      gained[before + 1] = gained[before + 1] - 1
      gained[status + 1] = gained[status + 1] + 1
      changed[#changed + 1] = index .. ':' .. status
    end
  end
end
if newer == 0 then
  return 0
end

local version = redis.call('HINCRBY', KEYS[3], versionField, grown)
for status = 0, 3 do
  if gained[status + 1] ~= 0 then
    redis.call('HINCRBY', KEYS[3], ARGV[2] .. ':' .. status, gained[status + 1])
  end
end
local available = redis.call('HGET', KEYS[3], ARGV[2] .. ':0')
local message = string.format('%.0f %.0f %s', version - grown, version, available)
if #changed > 0 then
  message = message .. ' ' .. table.concat(changed, ' ')
end
redis.call('PUBLISH', ARGV[1], message)
if #changed > 0 and available == '0' and redis.call('HGET', KEYS[3], ARGV[2] .. ':1') == '0' then
  redis.call('PUBLISH', ARGV[3], '')
end
return newer

-- Assigns priorities to new jobs of a queue, so that the events whose jobs wait are served in rotation. The lowest priority
-- runs first.
--
-- Each job of an event comes after the last one of that event. The first job of an event that has none waiting gets the
-- priority of the next job that the queue will run: it waits for one job of each other event, however many these have.
--
-- KEYS[1]   hash: event -> the priority of its last job
-- ARGV[1]   the priority of the next job that the queue will run; 0 where none waits: the rotation begins again
-- ARGV[2]   the highest priority that the queue takes
-- ARGV[3..] the event of each new job, in the order of the jobs
-- Returns   the priority of each new job
local next = tonumber(ARGV[1])
local highest = tonumber(ARGV[2])
if next == 0 then
  redis.call('DEL', KEYS[1])
  next = 1
end
local last = {}
local priorities = {}
for i = 3, #ARGV do
  local event = ARGV[i]
  local before = last[event] or tonumber(redis.call('HGET', KEYS[1], event) or 0)
  last[event] = math.min(math.max(before + 1, next), highest)
  priorities[#priorities + 1] = last[event]
end
for event, priority in pairs(last) do
  redis.call('HSET', KEYS[1], event, priority)
end
redis.call('EXPIRE', KEYS[1], 86400)
return priorities

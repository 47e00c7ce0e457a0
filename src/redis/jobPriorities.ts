import type { Redis } from 'ioredis'
import { keys } from './keys.ts'
import { script } from './scripts.ts'

/** The highest priority that BullMQ takes. Jobs beyond it run in the order in which they were added. */
const HIGHEST = 2 ** 21 - 1

/**
 * Returns a function that assigns priorities to new jobs of `queue`, so that the events whose jobs wait are served in rotation.
 * scripts/fairPriorities.lua describes the rule.
 *
 * `next`: the priority of the next job that the queue will run; 0 where none waits. `eventIds`: the event of each new job. The
 * function throws while Redis is away.
 */
export function createJobPriorities(
  redis: Redis,
): (queue: string, next: number, eventIds: readonly string[]) => Promise<number[]> {
  const fairPriorities = script(redis, 'fairPriorities')
  return async (queue, next, eventIds) =>
    (await fairPriorities([keys.jobPriorities(queue)], [next, HIGHEST, ...eventIds])) as number[]
}

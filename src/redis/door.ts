import type { Redis } from 'ioredis'
import { keys } from './keys.ts'
import { script } from './scripts.ts'

/** What all processes know together of those who come to the door. Everything throws while Redis is away. */
export interface SharedDoor {
  /** Counts a join of whoever `who` names. Returns 0, or milliseconds until the next one counts, where `limit` is reached. */
  count(eventId: string, who: string, limit: number, windowMs: number): Promise<number>
  /** False where the answer was spent already. It is remembered for `ms`. */
  spend(eventId: string, answer: string, ms: number): Promise<boolean>
}

export function createSharedDoor(redis: Redis): SharedDoor {
  const countJoin = script(redis, 'countJoin')
  return {
    async count(eventId, who, limit, windowMs) {
      return (await countJoin([keys.joins(eventId, who)], [limit, windowMs])) as number
    },
    async spend(eventId, answer, ms) {
      return (await redis.set(keys.spentAnswer(eventId, answer), '', 'PX', ms, 'NX')) === 'OK'
    },
  }
}

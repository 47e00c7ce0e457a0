import type { Redis } from 'ioredis'
import { keys } from './keys.ts'
import { script } from './scripts.ts'

/** What all processes know together of those who come to the door. Everything throws while Redis is away. */
export interface SharedJoinGuard {
  /** Counts a join of whoever `who` names. Returns 0, or milliseconds until the next one counts, where `limit` is reached. */
  count(eventId: string, who: string, limit: number, windowMs: number): Promise<number>
  /**
   * False where the answer is spent, or another account's. It is this account's until it is spent, and remembered for `ms`,
   * by Redis alone: one that came back empty or older has forgotten.
   */
  present(eventId: string, answer: string, account: Buffer, ms: number): Promise<boolean>
  /** From now on nobody may present the answer. */
  spend(eventId: string, answer: string): Promise<void>
}

export function createSharedJoinGuard(redis: Redis): SharedJoinGuard {
  const countJoin = script(redis, 'countJoin')
  return {
    async count(eventId, who, limit, windowMs) {
      return (await countJoin([keys.joins(eventId, who)], [limit, windowMs])) as number
    },
    async present(eventId, answer, account, ms) {
      const key = keys.answer(eventId, answer)
      if ((await redis.set(key, account, 'PX', ms, 'NX')) === 'OK') return true
      return (await redis.getBuffer(key))?.equals(account) ?? false
    },
    async spend(eventId, answer) {
      await redis.set(keys.answer(eventId, answer), '', 'KEEPTTL', 'XX')
    },
  }
}

import type { Redis } from 'ioredis'
import { keys } from './keys.ts'
import { script } from './scripts.ts'

/** The part of the join guard that all processes share. Every method throws while Redis is away. */
export interface SharedJoinGuard {
  /**
   * Counts a join of `source`. Returns 0 where it was counted; where `limit` is reached, the milliseconds until the next
   * join counts.
   */
  countJoin(eventId: string, source: string, limit: number, windowMs: number): Promise<number>
  /**
   * Claims an answer for the account until it is spent. False where the answer is spent or another account has claimed
   * it. The claim lasts for `ms`, in Redis only: a Redis that comes back empty, or with an older copy, does not have it.
   */
  claimAnswer(eventId: string, answer: string, account: Buffer, ms: number): Promise<boolean>
  /** From now on no account can claim the answer. */
  spendAnswer(eventId: string, answer: string): Promise<void>
}

export function createSharedJoinGuard(redis: Redis): SharedJoinGuard {
  const countJoin = script(redis, 'countJoin')
  return {
    async countJoin(eventId, source, limit, windowMs) {
      return (await countJoin([keys.joins(eventId, source)], [limit, windowMs])) as number
    },
    async claimAnswer(eventId, answer, account, ms) {
      const key = keys.answer(eventId, answer)
      if ((await redis.set(key, account, 'PX', ms, 'NX')) === 'OK') return true
      return (await redis.getBuffer(key))?.equals(account) ?? false
    },
    async spendAnswer(eventId, answer) {
      await redis.set(keys.answer(eventId, answer), '', 'KEEPTTL', 'XX')
    },
  }
}

import type { Redis } from 'ioredis'
import { createPermits } from '../redis/permits.ts'

/** Takes a permit to ask the provider: 0 where it was taken, else milliseconds until the next one is free. */
export type TakePermit = () => Promise<number>

/** Of the limit, what a process allows itself while it cannot count together with the others. */
const SHARE_WITHOUT_REDIS = 1 / 4

/**
 * One limit for all processes, counted in Redis. Without Redis each process keeps to a quarter of it by
 * itself: up to four processes stay within the limit, more of them may meet the provider's own, which is
 * answered just like ours.
 */
export function createLimiter(redis: Redis, provider: string, perSecond: number): TakePermit {
  const takeShared = createPermits(redis)
  const takeOwn = createOwnLimiter(Math.max(1, Math.floor(perSecond * SHARE_WITHOUT_REDIS)))
  return () => takeShared(provider, perSecond).catch(takeOwn)
}

/** Never more than `perSecond` permits within a second, wherever it begins. */
function createOwnLimiter(perSecond: number): TakePermit {
  const taken: number[] = []
  return async () => {
    const now = performance.now()
    while (taken[0] !== undefined && taken[0] <= now - 1_000) taken.shift()
    if (taken.length >= perSecond) return Math.ceil((taken[0] as number) + 1_000 - now)
    taken.push(now)
    return 0
  }
}

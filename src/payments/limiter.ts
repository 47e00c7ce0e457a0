import type { Redis } from 'ioredis'
import { createPermits } from '../redis/permits.ts'

/** Takes a permit for one call to the provider. Returns 0, or the milliseconds until the next permit is free. */
export type TakePermit = () => Promise<number>

/** The share of the limit that a process allows itself while Redis is away and processes cannot count together. */
const SHARE_WITHOUT_REDIS = 1 / 4

/**
 * Returns the limiter: one limit for all processes, counted in Redis. Without Redis each process keeps to a quarter of
 * the limit by itself. So up to four processes stay within it; more may meet the provider's own limit, which is handled
 * like ours.
 */
export function createLimiter(redis: Redis, provider: string, perSecond: number): TakePermit {
  const takeShared = createPermits(redis)
  const takeOwn = createOwnLimiter(Math.max(1, Math.floor(perSecond * SHARE_WITHOUT_REDIS)))
  return () => takeShared(provider, perSecond).catch(takeOwn)
}

/** Gives at most `perSecond` permits in any second. */
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

import { createBoundedCache } from '../../async/boundedCache.ts'

/**
 * The seats or requests that this process refused in the last seconds, because they were taken or not enough. An entry
 * is a guess that the next call meets the same refusal.
 */
export interface RecentRefusals {
  has(key: string): boolean
  add(key: string): void
  delete(key: string): void
}

const KEPT_MS = 5_000

/** @param atLeast see boundedCache.ts */
export function createRecentRefusals(atLeast: number): RecentRefusals {
  const refusedAt = createBoundedCache<string, number>(atLeast)
  return {
    has: (key) => performance.now() - (refusedAt.get(key) ?? Number.NEGATIVE_INFINITY) < KEPT_MS,
    add: (key) => refusedAt.set(key, performance.now()),
    delete: refusedAt.delete,
  }
}

import { createBoundedCache } from '../../async/boundedCache.ts'

/** What this process has refused lately because there was not enough, or none: a guess that there is not now. */
export interface RecentRefusals {
  has(what: string): boolean
  add(what: string): void
  delete(what: string): void
}

const KEPT_MS = 5_000

/** @param most how many are remembered */
export function createRecentRefusals(most: number): RecentRefusals {
  const refusedAt = createBoundedCache<string, number>(most / 2)
  return {
    has: (what) => performance.now() - (refusedAt.get(what) ?? Number.NEGATIVE_INFINITY) < KEPT_MS,
    add: (what) => refusedAt.set(what, performance.now()),
    delete: (what) => refusedAt.set(what, Number.NEGATIVE_INFINITY),
  }
}

import { createRemembered } from '../../remembered.ts'

/** Requests that this process has refused lately because there was not enough. */
export interface Scarce {
  has(request: string): boolean
  add(request: string): void
  delete(request: string): void
}

const KEPT_MS = 5_000
const REQUESTS_IN_MEMORY = 2_000

export function createScarce(): Scarce {
  const refusedAt = createRemembered<string, number>(REQUESTS_IN_MEMORY / 2)
  return {
    has: (request) => performance.now() - (refusedAt.get(request) ?? Number.NEGATIVE_INFINITY) < KEPT_MS,
    add: (request) => refusedAt.set(request, performance.now()),
    delete: (request) => refusedAt.set(request, Number.NEGATIVE_INFINITY),
  }
}

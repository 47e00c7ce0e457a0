/** Requests that this process has refused lately because there was not enough. */
export interface Scarce {
  has(request: string): boolean
  add(request: string): void
  delete(request: string): void
}

const KEPT_MS = 5_000
const REQUESTS_IN_MEMORY = 2_000

export function createScarce(): Scarce {
  const refusedAt = new Map<string, number>()
  return {
    has: (request) => performance.now() - (refusedAt.get(request) ?? Number.NEGATIVE_INFINITY) < KEPT_MS,
    add(request) {
      refusedAt.delete(request)
      refusedAt.set(request, performance.now())
      const [oldest] = refusedAt.keys()
      if (refusedAt.size > REQUESTS_IN_MEMORY && oldest !== undefined) refusedAt.delete(oldest)
    },
    delete: (request) => refusedAt.delete(request),
  }
}

/** Counts what clients have open, and bounds it by client and in all. */
export interface FairShare {
  /** Returns the bound that keeps this client from one more; null where there is none. A null client is bounded only in all. */
  refusalOf(client: string | null): 'client' | 'all' | null
  enter(client: string | null): void
  leave(client: string | null): void
  of(client: string): number
  readonly size: number
}

/** A client may have this part of what is free, and one in any case. */
const PART_OF_FREE = 1 / 4

/**
 * As the whole fills up, the share of one client shrinks. So n clients that take all they can leave 4 / (n + 4) of the whole to
 * the others: a fixed bound by client would let a few clients take everything. The rule is that of the dynamic thresholds
 * in shared-memory switches (Choudhury and Hahne, 1998).
 */
export function createFairShare({ perClient, inAll }: { perClient: number; inAll: number }): FairShare {
  const counts = new Map<string, number>()
  let size = 0

  return {
    refusalOf(client) {
      const free = inAll - size
      if (free <= 0) return 'all'
      if (client === null) return null
      const share = Math.max(1, Math.min(perClient, Math.floor(free * PART_OF_FREE)))
      return (counts.get(client) ?? 0) >= share ? 'client' : null
    },
    enter(client) {
      size++
      if (client !== null) counts.set(client, (counts.get(client) ?? 0) + 1)
    },
    leave(client) {
      size--
      if (client === null) return
      const left = (counts.get(client) ?? 0) - 1
      if (left > 0) counts.set(client, left)
      else counts.delete(client)
    },
    of: (client) => counts.get(client) ?? 0,
    get size() {
      return size
    },
  }
}

import { createBoundedCache } from '../../async/boundedCache.ts'
import type { Database } from '../../sql/database/database.ts'
import { readLongestBlock } from '../../sql/seats.ts'

/**
 * The number of seats in the longest block (seats side by side) of a plan. A search for more seats than that can stop
 * at the first block of that length. Without this bound it would scan every free seat of a large hall before it
 * refuses.
 */
export interface MaxBlockLengths {
  of(eventId: string, where: Where): Promise<number>
  /** The same where it was read before; undefined otherwise: the first read takes longer than a search. */
  known(eventId: string, where: Where): number | undefined
}

interface Where {
  readonly sectionNo: number | null
  readonly levelNo: number | null
}

/** 1,000 at most. */
const LENGTHS_AT_LEAST = 500

export function createMaxBlockLengths(db: Database): MaxBlockLengths {
  const lengths = createBoundedCache<string, number>(LENGTHS_AT_LEAST)
  const keyOf = (eventId: string, { sectionNo, levelNo }: Where) => `${eventId} ${sectionNo} ${levelNo}`
  return {
    known: (eventId, where) => lengths.get(keyOf(eventId, where)),
    async of(eventId, where) {
      const key = keyOf(eventId, where)
      const known = lengths.get(key)
      if (known !== undefined) return known
      const length = await readLongestBlock(db, eventId, where)
      lengths.set(key, length)
      return length
    },
  }
}

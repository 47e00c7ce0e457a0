import { createBoundedCache } from '../../async/boundedCache.ts'
import type { Database } from '../../sql/database/database.ts'
import { readLongestBlock } from '../../sql/seats.ts'

/**
 * The number of seats in the longest block (seats side by side) of a plan. A search for more seats than that can stop
 * at the first block of that length. Without this bound it would scan every free seat of a large hall before it
 * refuses.
 */
export interface MaxBlockLengths {
  of(eventId: string, where: { sectionNo: number | null; levelNo: number | null }): Promise<number>
}

/** 1,000 at most. */
const LENGTHS_AT_LEAST = 500

export function createMaxBlockLengths(db: Database): MaxBlockLengths {
  const lengths = createBoundedCache<string, number>(LENGTHS_AT_LEAST)
  return {
    async of(eventId, where) {
      const key = `${eventId} ${where.sectionNo} ${where.levelNo}`
      const known = lengths.get(key)
      if (known !== undefined) return known
      const length = await readLongestBlock(db, eventId, where)
      lengths.set(key, length)
      return length
    },
  }
}

import { createBoundedCache } from '../../async/boundedCache.ts'
import type { Database } from '../../sql/database.ts'
import { readLongestBlock } from '../../sql/seats.ts'

/**
 * How many seats side by side a plan has at most. Where somebody asks for more, a look need not go on past the first
 * block of that length: in a hall of 50,000 free seats it would walk through all of them to say so.
 */
export interface LongestBlocks {
  of(eventId: string, where: { sectionNo: number | null; levelNo: number | null }): Promise<number>
}

const KEPT = 1_000

export function createLongestBlocks(db: Database): LongestBlocks {
  const known = createBoundedCache<string, number>(KEPT / 2)
  return {
    async of(eventId, where) {
      const key = `${eventId} ${where.sectionNo} ${where.levelNo}`
      const before = known.get(key)
      if (before !== undefined) return before
      const length = await readLongestBlock(db, eventId, where)
      known.set(key, length)
      return length
    },
  }
}

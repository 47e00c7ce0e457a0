import { createBoundedCache } from '../../async/boundedCache.ts'

/**
 * Where this process begins to look for the best seats of one kind of request. In a hall that is nearly full the front
 * rows are gone, and every hold would walk past tens of thousands of seats to see it. A guess that may be wrong: the
 * function looks at the rows before it too, before it refuses anybody.
 */
export interface StartRows {
  of(request: string): { readonly row: number; found(firstRow: number | null): void }
}

/** Seats that come back in front are found again after this long. */
const KEPT_MS = 1_000
const REQUESTS_IN_MEMORY = 2_000

export function createStartRows(): StartRows {
  const known = createBoundedCache<string, { row: number; at: number }>(REQUESTS_IN_MEMORY / 2)
  return {
    of(request) {
      const start = known.get(request)
      const isFresh = start !== undefined && performance.now() - start.at < KEPT_MS
      const row = isFresh ? start.row : 0
      // One looks from the front, and those who come meanwhile go by what is known.
      if (start && !isFresh) start.at = performance.now()
      return {
        row,
        found(firstRow) {
          if (firstRow === null) return
          known.set(request, { row: firstRow, at: isFresh ? start.at : performance.now() })
        },
      }
    },
  }
}

import { createBoundedCache } from '../../async/boundedCache.ts'

/**
 * The row in which a search for the best seats begins, for each kind of request. In a hall that is nearly full the
 * front rows are gone, and without a hint every hold would scan tens of thousands of seats before it finds one. A hint
 * may be wrong: the function also scans the rows before it, before it refuses a caller.
 */
export interface FirstRowHints {
  /** The row to begin with, and the call that records the first row in which the search found seats. */
  of(request: string): { readonly row: number; found(firstRow: number | null): void }
}

/** After this long a search begins at the front again, and finds seats that came back there. */
const KEPT_MS = 1_000
/** 2,000 at most. */
const HINTS_AT_LEAST = 1_000

export function createFirstRowHints(): FirstRowHints {
  const hints = createBoundedCache<string, { row: number; at: number }>(HINTS_AT_LEAST)
  return {
    of(request) {
      const hint = hints.get(request)
      const isFresh = hint !== undefined && performance.now() - hint.at < KEPT_MS
      const row = isFresh ? hint.row : 0
      // This call alone searches from the front; calls that come meanwhile still use the old hint.
      if (hint && !isFresh) hint.at = performance.now()
      return {
        row,
        found(firstRow) {
          if (firstRow === null) return
          hints.set(request, { row: firstRow, at: isFresh ? hint.at : performance.now() })
        },
      }
    },
  }
}

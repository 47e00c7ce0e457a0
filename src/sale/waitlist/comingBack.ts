import { createSingleFlights } from '../../async/singleFlight.ts'
import type { Database } from '../../sql/database/database.ts'
import { readHistory } from '../../sql/ops/history.ts'
import { type CellRow, readCells } from '../../sql/waitlist.ts'
import type { PositionedEntry } from './positions.ts'
import { covers } from './possible.ts'

/** The seats that may come back for an entry. */
export interface ComingBack {
  /**
   * The held seats that the entry could take, times the share of the event's ended holds that ended unpaid: a number up to
   * about 10 s old, rounded. Null where fewer than 20 holds have ended, since their share says little.
   */
  of(entry: PositionedEntry): Promise<number | null>
}

interface Reading {
  readonly cells: readonly CellRow[]
  /** From 0 to 1; null: unknown. */
  readonly unpaidShare: number | null
}

/** Both statements read every seat or hold of the event. */
const KEPT_MS = 10_000
const ENDED_HOLDS_AT_LEAST = 20

export function createComingBack(db: Database): ComingBack {
  const kept = createSingleFlights<Reading>({ keptMs: KEPT_MS })

  async function read(eventId: string): Promise<Reading> {
    const [cells, { holdsEnded, holdsUnpaid }] = await Promise.all([
      readCells(db, eventId),
      readHistory(db, eventId),
    ])
    return { cells, unpaidShare: holdsEnded < ENDED_HOLDS_AT_LEAST ? null : holdsUnpaid / holdsEnded }
  }

  return {
    async of({ eventId, wishes, wheelchairSeats }) {
      const { cells, unpaidShare } = await kept.run(eventId, () => read(eventId))
      if (unpaidShare === null) return null
      const held = cells
        .filter(({ kind }) => (kind === 'wheelchair' || kind === 'companion') === wheelchairSeats > 0)
        .filter((cell) => wishes.some((wish) => covers(wish, cell)))
        .reduce((sum, cell) => sum + cell.held, 0)
      return Math.round(held * unpaidShare)
    },
  }
}

import { createSingleFlights } from '../../async/singleFlight.ts'
import type { Database } from '../../sql/database/database.ts'
import { type PriceLevelRow, readPriceLevels } from '../../sql/plans.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import { planId } from '../ids.ts'

export interface PriceLevelView extends PriceLevelRow {
  readonly id: string
  readonly currency: string
}

export interface PriceLevels {
  /** Returns an event's price levels by number, at most a second old; empty where there is no such event. */
  of(eventId: string): Promise<PriceLevelView[]>
  /** Drops the cached levels after this process has changed them. */
  forget(eventId: string): void
}

const FRESH_MS = 1_000

/** Caches the price levels of the events that fans view: every seat and every hold names a level. */
export function createPriceLevels({ db, catalogue }: { db: Database; catalogue: Catalogue }): PriceLevels {
  const levels = createSingleFlights<PriceLevelView[]>({ keptMs: FRESH_MS })

  async function read(eventId: string) {
    const event = await catalogue.event(eventId)
    if (!event) return []
    const rows = await readPriceLevels(db, eventId)
    return rows.map((row) => ({ ...row, id: planId('lvl', eventId, row.no), currency: event.currency }))
  }

  return {
    of: (eventId) => levels.run(eventId, () => read(eventId)),
    forget: (eventId) => levels.forget(eventId),
  }
}

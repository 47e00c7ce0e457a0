import type { Database } from '../../sql/database.ts'
import { type PriceLevelRow, readPriceLevels } from '../../sql/plans.ts'
import { planId } from '../ids.ts'
import type { Catalogue } from './catalogue.ts'

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
  const known = new Map<string, Promise<PriceLevelView[]>>()

  async function read(eventId: string) {
    const event = await catalogue.event(eventId)
    if (!event) return []
    const rows = await readPriceLevels(db, eventId)
    return rows.map((row) => ({ ...row, id: planId('lvl', eventId, row.no), currency: event.currency }))
  }

  return {
    of(eventId) {
      const fresh = known.get(eventId)
      if (fresh) return fresh
      const levels = read(eventId)
      known.set(eventId, levels)
      const forget = () => known.get(eventId) === levels && known.delete(eventId)
      levels.then(() => setTimeout(forget, FRESH_MS).unref(), forget)
      return levels
    },
    forget: (eventId) => known.delete(eventId),
  }
}

import type { EventPage, PriceLevel, Sale } from '../../../sdk/index.ts'
import { priceLevelsOf } from './priceLevels.ts'

/** What is left of one price. Levels of one name and one price are one line for a fan. */
export interface PriceCount {
  readonly level: PriceLevel
  /** Null: unknown at the moment. */
  readonly available: number | null
  /** In holds that may come back. */
  readonly held: number
}

/** What is left of each price level, the dearest first. */
export function priceCounts(event: EventPage, sale: Sale): PriceCount[] {
  const counts = new Map(sale.prices?.map((count) => [count.priceLevelId, count]))
  return priceLevelsOf(event.sections).map((level) => ({
    level,
    available: counts.get(level.id)?.available ?? null,
    held: counts.get(level.id)?.held ?? 0,
  }))
}

/** The prices whose last free seat went between two states of a sale. */
export function goneBetween(event: EventPage, before: Sale, next: Sale): PriceCount[] {
  const earlier = new Map(priceCounts(event, before).map(({ level, available }) => [level.id, available]))
  return priceCounts(event, next).filter(
    ({ level, available }) => available === 0 && (earlier.get(level.id) ?? 0) > 0,
  )
}

import type { MapScripts } from '../../redis/scripts.ts'
import { AVAILABLE, HELD } from '../../seatStatus.ts'
import type { LayoutSeat } from '../../sql/plans.ts'
import type { Catalogue, CatalogueSection } from '../catalogue/catalogue.ts'
import { planId } from '../ids.ts'
import { statusAt } from './packedStatuses.ts'

/** The seats and units of one price level that are free, and those in holds that may come back. */
export interface LevelCount {
  readonly available: number
  readonly held: number
}

export type LevelCounts = ReadonlyMap<string, LevelCount>

type SectionCounts = ReadonlyMap<number, { counts: readonly number[] }>

/**
 * Counts an event's seats by price level, by its id. A section of one level has the section's own counts. In the others it
 * counts the statuses of the map: 50,000 seats are 12.5 kB of Redis and a loop over them. A level that no map can count has
 * no entry: it is sold in a general admission area with several prices. Throws while Redis is away.
 */
export function createLevelCounts({ catalogue, maps }: { catalogue: Catalogue; maps: MapScripts }) {
  /** The levels of a layout, and the position among them of each seat's level. */
  const levelsOf = new WeakMap<readonly LayoutSeat[], { ids: string[]; levelAt: Uint8Array }>()

  function readLevels(layout: readonly LayoutSeat[]) {
    const known = levelsOf.get(layout)
    if (known) return known
    const ids = [...new Set(layout.map(({ priceLevelId }) => priceLevelId))]
    const levels = { ids, levelAt: Uint8Array.from(layout, (seat) => ids.indexOf(seat.priceLevelId)) }
    levelsOf.set(layout, levels)
    return levels
  }

  return async (eventId: string, counts: SectionCounts): Promise<LevelCounts> => {
    const sections = (await catalogue.event(eventId))?.sections ?? []
    const totals = new Map<string, { available: number; held: number }>()
    const unknown = new Set<string>()
    const add = (id: string, available: number, held: number) => {
      const total = totals.get(id) ?? { available: 0, held: 0 }
      total.available += available
      total.held += held
      totals.set(id, total)
    }
    const mixed: CatalogueSection[] = []
    for (const section of sections) {
      const ids = section.levelNos.map((no) => planId('lvl', eventId, no))
      const [id] = ids
      if (ids.length === 1 && id) {
        const [available = 0, held = 0] = counts.get(section.no)?.counts ?? []
        add(id, available, held)
      } else if (section.layout.length > 0) mixed.push(section)
      else for (const one of ids) unknown.add(one)
    }
    const statuses = await maps.statuses(
      eventId,
      mixed.map(({ no }) => no),
    )
    mixed.forEach(({ layout }, i) => {
      const packed = statuses[i]
      const { ids, levelAt } = readLevels(layout)
      if (!packed) {
        for (const id of ids) unknown.add(id)
        return
      }
      for (let index = 0; index < layout.length; index++) {
        const status = statusAt(packed, index)
        if (status > HELD) continue
        add(ids[levelAt[index] as number] as string, Number(status === AVAILABLE), Number(status === HELD))
      }
      for (const id of ids) add(id, 0, 0)
    })
    for (const id of unknown) totals.delete(id)
    return totals
  }
}

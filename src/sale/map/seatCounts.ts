import { createSharedReads } from '../../async/sharedReads.ts'
import type { MapScripts } from '../../redis/scripts.ts'
import type { Database } from '../../sql/database/database.ts'
import { countSeats } from '../../sql/seats.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import type { Clock } from '../clock.ts'
import type { SaleCounts } from '../saleView.ts'
import { createLevelCounts, type LevelCounts } from './levelCounts.ts'
import type { MapRepair } from './mapRepair.ts'

/** The counts with their source and each section's version. */
export interface EventCounts {
  readonly counts: SaleCounts
  readonly versions: ReadonlyMap<number, number>
  readonly source: 'redis' | 'database'
  /** By performance.now(); `asOf` is by the database's clock. */
  readonly readAt: number
}

/** The maps' counts are one small read; the database has to read every seat. */
const KEPT_MS = { redis: 500, database: 2_000 }
const EVENTS_IN_MEMORY = 256
/** The longest rest between two reads of every seat, when a crowd comes while Redis is away. */
const MOST_REST_MS = 200

/** Counts an event's seats by status. */
export interface SeatCounts {
  /**
   * Returns counts that this process reads at most twice a second, for all callers together. `notBefore`, by
   * performance.now(): read again if the counts are older, unless that would read every seat.
   */
  recent(eventId: string, notBefore?: number): Promise<EventCounts>
  /** Returns counts that the database reads after the call. Callers share one read at a time. */
  fromDatabase(eventId: string): Promise<EventCounts>
}

export function createSeatCounts(deps: {
  db: Database
  catalogue: Catalogue
  maps: MapScripts
  repair: MapRepair
  clock: Clock
}): SeatCounts {
  const { db, catalogue, maps, repair, clock } = deps
  // Not async/singleFlight.ts: how long counts are kept depends on their source, and a caller may refuse older ones.
  const events = new Map<string, { reading: Promise<EventCounts>; done?: EventCounts }>()
  const levelCounts = createLevelCounts({ catalogue, maps })
  const looks = createSharedReads<EventCounts>(MOST_REST_MS)

  async function sectionNosOf(eventId: string): Promise<number[]> {
    return (await catalogue.sectionRanges(eventId)).map(({ no }) => no)
  }

  async function read(eventId: string): Promise<EventCounts> {
    const sectionNos = await sectionNosOf(eventId)
    return (await readMaps(eventId, sectionNos)) ?? readDatabase(eventId, sectionNos)
  }

  /** Undefined while Redis is away. */
  async function readMaps(eventId: string, sectionNos: number[]): Promise<EventCounts | undefined> {
    try {
      let readAt = performance.now()
      let sections = await maps.counts(eventId)
      const absent = sectionNos.filter((no) => !sections.has(no))
      if (absent.length > 0) {
        await repair.rebuild(eventId, absent)
        readAt = performance.now()
        sections = await maps.counts(eventId)
      }
      const counted = sections
      let levels: Promise<LevelCounts | null> | undefined
      const readLevels = () => {
        levels ??= levelCounts(eventId, counted).catch(() => null)
        return levels
      }
      return toCounts('redis', sectionNos, sections, readLevels, readAt, await clock.at(readAt))
    } catch {
      return undefined
    }
  }

  async function readDatabase(eventId: string, sectionNos: number[]): Promise<EventCounts> {
    const readAt = performance.now()
    const rows = await countSeats(db, eventId)
    const sections = new Map(
      rows.map((row) => [
        row.sectionNo,
        { version: row.version, counts: [row.available, row.held, row.sold, row.notForSale] as Counts },
      ]),
    )
    return toCounts('database', sectionNos, sections, async () => null, readAt, await clock.at(readAt))
  }

  function keep(eventId: string, reading: Promise<EventCounts>) {
    const entry: { reading: Promise<EventCounts>; done?: EventCounts } = { reading }
    events.delete(eventId)
    events.set(eventId, entry)
    const [oldest] = events.keys()
    if (events.size > EVENTS_IN_MEMORY && oldest !== undefined) events.delete(oldest)
    reading.then(
      (counts) => {
        entry.done = counts
      },
      () => {
        if (events.get(eventId) === entry) events.delete(eventId)
      },
    )
    return reading
  }

  return {
    async recent(eventId, notBefore = 0) {
      const known = events.get(eventId)
      if (!known || isOld(known)) return keep(eventId, read(eventId))
      const counts = await known.reading
      if (counts.readAt >= notBefore || counts.source === 'database') return counts
      const latest = events.get(eventId)
      return latest && latest !== known ? latest.reading : keep(eventId, read(eventId))
    },
    fromDatabase: (eventId) =>
      looks.read(eventId, async () => {
        const counts = await readDatabase(eventId, await sectionNosOf(eventId))
        return keep(eventId, Promise.resolve(counts))
      }),
  }
}

type Counts = [number, number, number, number]

function isOld({ done }: { done?: EventCounts }): boolean {
  return done !== undefined && performance.now() - done.readAt > KEPT_MS[done.source]
}

function toCounts(
  source: EventCounts['source'],
  sectionNos: number[],
  sections: ReadonlyMap<number, { version: number; counts: Counts }>,
  readLevels: SaleCounts['readLevels'],
  readAt: number,
  asOf: Date,
): EventCounts {
  const [available, held, sold, notForSale] = [...sections.values()].reduce<Counts>(
    ([a, b, c, d], { counts }) => [a + counts[0], b + counts[1], c + counts[2], d + counts[3]],
    [0, 0, 0, 0],
  )
  return {
    source,
    readAt,
    versions: new Map([...sections].map(([no, { version }]) => [no, version])),
    counts: {
      available,
      held,
      sold,
      notForSale,
      sections: sectionNos.map((sectionNo) => ({
        sectionNo,
        available: sections.get(sectionNo)?.counts[0] ?? 0,
      })),
      readLevels,
      asOf,
    },
  }
}

import type { Redis } from 'ioredis'
import type { Logger } from 'pino'
import { createBoundedCache } from '../../async/boundedCache.ts'
import type { MaybePromise } from '../../async/maybePromise.ts'
import type { ChannelHub } from '../../redis/channelHub.ts'
import { mapScripts } from '../../redis/scripts.ts'
import type { Database } from '../../sql/database.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import type { Clock } from '../clock.ts'
import type { SaleCounts } from '../saleView.ts'
import { createGatheredMerges } from './gatheredMerges.ts'
import { createMapRepair } from './mapRepair.ts'
import { createSeatCounts } from './seatCounts.ts'
import type { SeatChange } from './seatStatus.ts'
import {
  createSectionCopy,
  type SectionCopy,
  type SectionSnapshot,
  type SectionState,
  type SectionUpdate,
  startOver,
} from './sectionCopy.ts'

export type { SeatChange, SectionSnapshot, SectionUpdate }

/** What everybody sees of the seats: a guide, at most a second old, and never an authority. */
export interface SeatMap {
  /** Tells the map what a commit has changed. Never fails: what is missed here, the rebuild finds. */
  publish(eventId: string, changes: readonly SeatChange[]): Promise<void>
  /**
   * From this process's memory, and at once where it is fresh there. While Redis is away: no statuses, and counts from the
   * database.
   */
  section(eventId: string, sectionNo: number): MaybePromise<SectionSnapshot>
  /** A snapshot, then what changes, gathered for up to 250 ms; another snapshot where statuses go or come back. */
  updates(eventId: string, sectionNo: number): AsyncIterableIterator<SectionUpdate>
  /** The snapshot that those updates which follow `last` lead on from, as of two seconds ago at most. */
  whole(last: SectionUpdate): Promise<SectionUpdate>
  /**
   * The version that anybody may have been told by now, by whichever process. Those who follow the section here are
   * told that one or a later one before long. 0 while Redis and the database are away.
   */
  latest(eventId: string, sectionNo: number): Promise<number>
  counts(eventId: string, notBefore?: number): Promise<SaleCounts>
  /** Compares every section with the database and publishes what differed. Throws while either is away. */
  rebuild(eventId: string): Promise<{ differed: number }>
  /** As `rebuild`, of the sections that the database tells otherwise than the map, and in turns some others. */
  rebuildHot(eventId: string): Promise<{ differed: number }>
  /** Waits until what was published has come to the map, or could not. Nothing is published after it. */
  close(): Promise<void>
}

export interface SeatMapDeps {
  db: Database
  redis: Redis
  hub: ChannelHub
  catalogue: Catalogue
  clock: Clock
  log: Logger
}

/** The most sections in memory, besides those with subscribers. */
const SECTIONS_IN_MEMORY = 4_000

export function createSeatMap({ db, redis, hub, catalogue, clock, log }: SeatMapDeps): SeatMap {
  const maps = mapScripts(redis)
  const repair = createMapRepair({ db, catalogue, maps })
  const seatCounts = createSeatCounts({ db, catalogue, maps, repair, clock })
  const copies = createBoundedCache<string, SectionCopy>(SECTIONS_IN_MEMORY / 2, (copy) => copy.inUse())
  const publishing = new Set<Promise<void>>()

  async function sectionOf(eventId: string, sectionNo: number) {
    const event = await catalogue.event(eventId)
    const section = event?.sections.find(({ no }) => no === sectionNo)
    if (!section) throw new Error(`event ${eventId} has no section ${sectionNo}`)
    return section
  }

  /** At least at `version`, which somebody was told. */
  async function readMap(eventId: string, sectionNo: number, version: number) {
    async function read() {
      const readAt = performance.now()
      const map = await maps.read(eventId, sectionNo)
      return map && { ...map, readAt }
    }
    let map = await read()
    if (!map || map.version < version) {
      // Redis lost it, or came back with an older one.
      await repair.rebuild(eventId, [sectionNo])
      map = await read()
    }
    if (map && map.version < version) {
      await repair.raiseVersion(eventId, sectionNo, version)
      map = await read()
    }
    if (!map) throw new Error(`section ${sectionNo} of ${eventId} does not stay in Redis`)
    return map
  }

  async function readSection(eventId: string, sectionNo: number, version: number): Promise<SectionState> {
    const section = await sectionOf(eventId, sectionNo)
    const generalAdmission = section.kind === 'GENERAL_ADMISSION'
    try {
      return { ...(await readMap(eventId, sectionNo, version)), generalAdmission }
    } catch (error) {
      log.debug({ err: error, eventId, sectionNo }, 'no seat map: counts from the database')
      const { counts, versions, readAt } = await seatCounts.lately(eventId)
      return {
        version: Math.max(versions.get(sectionNo) ?? 0, version),
        available: counts.sections.find((section) => section.sectionNo === sectionNo)?.available ?? 0,
        statuses: null,
        generalAdmission,
        readAt,
      }
    }
  }

  async function pollVersion(eventId: string, sectionNo: number) {
    const { source, versions, readAt } = await seatCounts.lately(eventId)
    const version = versions.get(sectionNo)
    if (source === 'database' || version === undefined) return undefined
    return { version, readAt }
  }

  function keyOf(eventId: string, sectionNo: number): string {
    return `${eventId} ${sectionNo}`
  }

  function copyOf(eventId: string, sectionNo: number): SectionCopy {
    const key = keyOf(eventId, sectionNo)
    const known = copies.get(key)
    if (known) return known
    const copy = createSectionCopy({
      eventId,
      sectionNo,
      hub,
      clock,
      read: (version) => readSection(eventId, sectionNo, version),
      pollVersion: () => pollVersion(eventId, sectionNo),
      mapVersion: () => maps.version(eventId, sectionNo),
      databaseVersion: async () => (await seatCounts.fromDatabase(eventId)).versions.get(sectionNo) ?? 0,
    })
    copies.set(key, copy)
    return copy
  }

  const merge = createGatheredMerges(async (eventId, sectionNo, changes) => {
    const { firstSeat } = await sectionOf(eventId, sectionNo)
    const merged = await maps.merge(
      eventId,
      sectionNo,
      changes.map(({ seatNo, status, revision }) => ({ index: seatNo - firstSeat, status, revision })),
    )
    if (merged === 'absent') await repair.rebuild(eventId, [sectionNo])
  })

  async function publish(eventId: string, changes: readonly SeatChange[]) {
    try {
      const event = await catalogue.event(eventId)
      const bySection = Map.groupBy(changes, ({ seatNo }) => event?.sectionOfSeat(seatNo))
      await Promise.all(
        [...bySection].map(([section, seats]) => (section ? merge(eventId, section.no, seats) : undefined)),
      )
    } catch (error) {
      log.debug({ err: error, eventId }, 'the seat map was not told of a change')
    }
  }

  return {
    publish(eventId, changes) {
      const published = publish(eventId, changes).finally(() => publishing.delete(published))
      publishing.add(published)
      return published
    },

    section: (eventId, sectionNo) => copyOf(eventId, sectionNo).snapshot(),
    updates: (eventId, sectionNo) => copyOf(eventId, sectionNo).updates(),
    whole: async (last) => startOver(await copyOf(last.eventId, last.sectionNo).whole(last)),
    latest: (eventId, sectionNo) => copyOf(eventId, sectionNo).latest(),
    counts: async (eventId, notBefore) => (await seatCounts.lately(eventId, notBefore)).counts,
    rebuild: async (eventId) => ({ differed: await repair.rebuild(eventId) }),
    rebuildHot: async (eventId) => ({ differed: await repair.rebuildHot(eventId) }),
    async close() {
      await Promise.all(publishing)
    },
  }
}

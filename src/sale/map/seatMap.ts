import type { Redis } from 'ioredis'
import type { Logger } from 'pino'
import { createBoundedCache } from '../../async/boundedCache.ts'
import type { MaybePromise } from '../../async/maybePromise.ts'
import type { ChannelHub } from '../../redis/channelHub.ts'
import { mapScripts } from '../../redis/scripts.ts'
import type { SeatChange } from '../../seatStatus.ts'
import type { Database } from '../../sql/database/database.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import type { Clock } from '../clock.ts'
import type { SaleCounts } from '../saleView.ts'
import { createGatheredMerges } from './gatheredMerges.ts'
import { createMapRepair } from './mapRepair.ts'
import { createSeatCounts } from './seatCounts.ts'
import {
  createSectionReplica,
  type SectionReplica,
  type SectionSnapshot,
  type SectionState,
  type SectionUpdate,
  snapshotUpdate,
} from './sectionReplica.ts'

export type { SeatChange, SectionSnapshot, SectionUpdate }

/** The public view of the seats: a guide, at most a second old, and never an authority. */
export interface SeatMap {
  /**
   * Merges a commit's changes into the map. Never fails: the rounds compare an event whose changes are missed here.
   */
  publish(eventId: string, changes: readonly SeatChange[]): Promise<void>
  /**
   * Returns the section from this process's memory: without a promise when it is fresh there. While Redis is away,
   * it has no statuses, and counts from the database.
   */
  section(eventId: string, sectionNo: number): MaybePromise<SectionSnapshot>
  /** Returns a snapshot, then the changes of up to 250 ms each; a new snapshot when statuses go or come back. */
  updates(eventId: string, sectionNo: number): AsyncIterableIterator<SectionUpdate>
  /** Returns the snapshot at which `last` ends, verified at most two seconds ago. The next update continues it. */
  whole(last: SectionUpdate): Promise<SectionUpdate>
  /**
   * Returns the highest version that any process may have sent by now. The section's subscribers in this process soon
   * get that version or a later one. 0 while Redis and the database are away.
   */
  latest(eventId: string, sectionNo: number): Promise<number>
  counts(eventId: string, notBefore?: number): Promise<SaleCounts>
  /** Compares every section with the database and publishes what differed. Throws while either is away. */
  rebuild(eventId: string): Promise<{ differed: number }>
  /** Does what `rebuild` does for the sections with new writes, and for some of the others in each round. */
  rebuildHot(eventId: string): Promise<{ differed: number }>
  /**
   * Returns the events whose maps the next round compares: those with holds, now or within the last minute, and a share of
   * the quiet ones, so that each is compared once a minute. A quiet event without a map has no reader and costs nothing.
   * For a minute after a start of Redis, the rounds compare each event that had a map: it may be an older one.
   */
  toCompare(active: readonly string[], withHolds: readonly string[]): Promise<string[]>
  /** Returns those of the events that have a map in Redis. */
  withMaps(eventIds: readonly string[]): Promise<string[]>
  /** Removes the map of an event from Redis. A reader, or a later change of a seat, loads it again. */
  remove(eventId: string): Promise<void>
  /** Has the rounds of the next minute compare these events. Never fails. */
  noteHolds(eventIds: readonly string[]): Promise<void>
  /** Waits until every published change has reached the map or failed. Publish nothing after it. */
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

/** Sections in memory besides those with subscribers, 4,000 at most. */
const SECTIONS_AT_LEAST = 2_000

/** How often a process tries to note the events whose changes did not reach the map. */
const NOTE_MISSED_MS = 1_000

export function createSeatMap({ db, redis, hub, catalogue, clock, log }: SeatMapDeps): SeatMap {
  const maps = mapScripts(redis)
  const repair = createMapRepair({ db, catalogue, maps })
  const seatCounts = createSeatCounts({ db, catalogue, maps, repair, clock })
  const replicas = createBoundedCache<string, SectionReplica>(SECTIONS_AT_LEAST, (replica) => replica.inUse())
  const publishing = new Set<Promise<void>>()
  /** Events with a change that did not reach the map. The rounds have to compare them, even if they have no holds. */
  const missed = new Set<string>()
  let noteMissedLater: NodeJS.Timeout | undefined
  let closed = false

  async function sectionOf(eventId: string, sectionNo: number) {
    const event = await catalogue.event(eventId)
    const section = event?.sections.find(({ no }) => no === sectionNo)
    if (!section) throw new Error(`event ${eventId} has no section ${sectionNo}`)
    return section
  }

  /** Reads the map at `version` or later: this process has sent that version. */
  async function readMap(eventId: string, sectionNo: number, version: number) {
    async function read() {
      const readAt = performance.now()
      const map = await maps.read(eventId, sectionNo)
      return map && { ...map, readAt }
    }
    let map = await read()
    if (!map || map.version < version) {
      // Redis lost the map, or came back with an older one.
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
      const { counts, versions, readAt } = await seatCounts.recent(eventId)
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
    const { source, versions, readAt } = await seatCounts.recent(eventId)
    const version = versions.get(sectionNo)
    if (source === 'database' || version === undefined) return undefined
    return { version, readAt }
  }

  function keyOf(eventId: string, sectionNo: number): string {
    return `${eventId} ${sectionNo}`
  }

  function replicaOf(eventId: string, sectionNo: number): SectionReplica {
    const key = keyOf(eventId, sectionNo)
    const known = replicas.get(key)
    if (known) return known
    const replica = createSectionReplica({
      eventId,
      sectionNo,
      hub,
      clock,
      read: (version) => readSection(eventId, sectionNo, version),
      pollVersion: () => pollVersion(eventId, sectionNo),
      mapVersion: () => maps.version(eventId, sectionNo),
      databaseVersion: async () => (await seatCounts.fromDatabase(eventId)).versions.get(sectionNo) ?? 0,
    })
    replicas.set(key, replica)
    return replica
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
      log.debug({ err: error, eventId }, 'a change did not reach the seat map')
      missed.add(eventId)
      noteMissedLater ??= setTimeout(noteMissed, NOTE_MISSED_MS).unref()
    }
  }

  async function noteMissed() {
    const eventIds = [...missed]
    missed.clear()
    noteMissedLater = undefined
    try {
      await maps.noteHeld(eventIds)
    } catch {
      for (const eventId of eventIds) missed.add(eventId)
      if (!closed) noteMissedLater ??= setTimeout(noteMissed, NOTE_MISSED_MS).unref()
    }
  }

  return {
    publish(eventId, changes) {
      const published = publish(eventId, changes).finally(() => publishing.delete(published))
      publishing.add(published)
      return published
    },

    section: (eventId, sectionNo) =>
      replicas.get(keyOf(eventId, sectionNo))?.freshSnapshot() ?? replicaOf(eventId, sectionNo).snapshot(),
    updates: (eventId, sectionNo) => replicaOf(eventId, sectionNo).updates(),
    whole: async (last) => snapshotUpdate(await replicaOf(last.eventId, last.sectionNo).whole(last)),
    latest: (eventId, sectionNo) => replicaOf(eventId, sectionNo).latest(),
    counts: async (eventId, notBefore) => (await seatCounts.recent(eventId, notBefore)).counts,
    rebuild: async (eventId) => ({ differed: await repair.rebuild(eventId) }),
    rebuildHot: async (eventId) => ({ differed: await repair.rebuildHot(eventId) }),
    toCompare: repair.toCompare,
    withMaps: maps.withMaps,
    async remove(eventId) {
      const sections = await catalogue.sectionRanges(eventId)
      if (sections.length > 0)
        await maps.remove(
          eventId,
          sections.map(({ no }) => no),
        )
    },
    async noteHolds(eventIds) {
      await maps
        .noteHeld(eventIds)
        .catch((error) => log.debug({ err: error }, 'holds not noted for the maps'))
    },
    async close() {
      await Promise.all(publishing)
      closed = true
      clearTimeout(noteMissedLater)
    },
  }
}

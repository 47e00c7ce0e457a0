import type { MapScripts, MapSeat, WholeSection } from '../../redis/scripts.ts'
import type { SeatStatus } from '../../seatStatus.ts'
import type { Database } from '../../sql/database/database.ts'
import { raiseRevisions, readChangedSections, readSeats } from '../../sql/seats.ts'
import type { Catalogue, SectionRanges } from '../catalogue/catalogue.ts'
import { type PackedSeats, unpackSeats, viewOf } from './packedSeats.ts'
import { packStatuses, statusAt } from './packedStatuses.ts'

/** Seats that a script merges at once. Redis serves no other command while the script runs. */
const MERGE_BATCH = 256
/** Each attempt compares a map again that another process loaded, or that a flush removed, in the meantime. */
const ATTEMPTS = 5
/** A section without writes is still compared once in this many rounds of 2 s: once a minute. */
const ROUNDS = 30
/** The modulus of an event's hash; 31 · this fits an integer of 32 bits. */
const ROUNDS_PRIME = 65_521

export interface MapRepair {
  /**
   * Compares the maps of sections with the database and repairs them; by default all sections of the event. Loads
   * the maps that are missing. Returns the number of seats that differed.
   *
   * A map contains only committed changes. The database is read after the map. So a seat whose revision is higher
   * in the map than in the database shows that a crash took a commit back. An equal revision with another status
   * shows the same. The repair then raises the seat's revision in the database above the map's, so that the map's
   * version keeps growing.
   */
  rebuild(eventId: string, sectionNos?: readonly number[]): Promise<number>
  /**
   * Does what `rebuild` does for the hot sections: those with a seat that was written since the last call, those
   * without a map, and some of the others in each round. The seats' rows show which sections are hot. A mark in
   * Redis, or the process that made the change, could be lost together with the change's message.
   *
   * The mark up to which seats were compared is stored beside the maps. A Redis that loses or restores the maps does
   * the same to the mark.
   */
  rebuildHot(eventId: string): Promise<number>
  /** See SeatMap. Each call is one round. */
  toCompare(active: readonly string[], withHolds: readonly string[]): Promise<string[]>
  /**
   * Makes a section's version one above `version`, where map and database are both below it: a crash took
   * commits back and the map was lost with it. For a process that has already sent that version to clients.
   */
  raiseVersion(eventId: string, sectionNo: number, version: number): Promise<void>
}

export function createMapRepair(deps: { db: Database; catalogue: Catalogue; maps: MapScripts }): MapRepair {
  const { db, catalogue, maps } = deps

  async function merge(eventId: string, section: SectionRanges[number], seats: MapSeat[]): Promise<boolean> {
    for (let i = 0; i < seats.length; i += MERGE_BATCH) {
      const merged = await maps.merge(eventId, section.no, seats.slice(i, i + MERGE_BATCH))
      if (merged === 'absent') return false
    }
    return true
  }

  async function readSections(eventId: string, sectionNos: number[]): Promise<Map<number, PackedSeats>> {
    const rows = await readSeats(db, eventId, sectionNos)
    return new Map(rows.map(({ sectionNo, seats }) => [sectionNo, unpackSeats(seats)]))
  }

  /** Null where the map was loaded or lost in the meantime: compare again. */
  async function repairSection(
    eventId: string,
    section: SectionRanges[number],
    map: Awaited<ReturnType<MapScripts['readRevisions']>>,
    seats: PackedSeats,
  ): Promise<number | null> {
    if (!map) return (await maps.load(eventId, section.no, wholeSection(seats))) ? 0 : null
    const { newer, lost } = compare(map, seats)
    if (lost.length > 0) {
      const raised = await raiseRevisions(
        db,
        eventId,
        lost.map(({ index, revision }) => ({ seatNo: section.firstSeat + index, revision })),
      )
      for (const { seatNo, status, revision } of raised) {
        newer.push({ index: seatNo - section.firstSeat, status, revision })
      }
    }
    return (await merge(eventId, section, newer)) ? newer.length : null
  }

  const repair: MapRepair = {
    async rebuild(eventId, sectionNos) {
      const all = await catalogue.sectionRanges(eventId)
      let sections = all.filter(({ no }) => sectionNos === undefined || sectionNos.includes(no))
      let differed = 0
      for (let attempt = 0; sections.length > 0 && attempt < ATTEMPTS; attempt++) {
        // The maps are read before the seats, see `rebuild`.
        const known = await Promise.all(sections.map(({ no }) => maps.readRevisions(eventId, no)))
        const seats = await readSections(
          eventId,
          sections.map(({ no }) => no),
        )
        const repaired = await Promise.all(
          sections.map((section, i) =>
            repairSection(eventId, section, known[i] ?? null, seats.get(section.no) as PackedSeats),
          ),
        )
        for (const count of repaired) differed += count ?? 0
        sections = sections.filter((_, i) => repaired[i] === null)
      }
      return differed
    },

    async rebuildHot(eventId) {
      const sections = await catalogue.sectionRanges(eventId)
      if (sections.length === 0) return 0
      const [{ round, mark }, known] = await Promise.all([maps.nextRound(eventId), maps.counts(eventId)])
      const changed = await readChangedSections(db, eventId, mark)
      const hot = sections.filter(
        ({ no }, i) => changed.sectionNos.includes(no) || !known.has(no) || i % ROUNDS === round % ROUNDS,
      )
      const hotNos = hot.map(({ no }) => no)
      const differed = hotNos.length > 0 ? await repair.rebuild(eventId, hotNos) : 0
      await maps.keepMark(eventId, changed.mark)
      return differed
    },

    async toCompare(active, withHolds) {
      const { round, recentlyHeld } = await maps.nextRoundOfAll(active, withHolds, ROUNDS)
      const held = new Set(recentlyHeld)
      const hot = active.filter((eventId) => held.has(eventId))
      const share = active.filter((eventId) => !held.has(eventId) && isTurnOf(eventId, round))
      return [...hot, ...(share.length > 0 ? await maps.withMaps(share) : [])]
    },

    async raiseVersion(eventId, sectionNo, version) {
      const section = (await catalogue.sectionRanges(eventId)).find(({ no }) => no === sectionNo)
      const seats = (await readSections(eventId, [sectionNo])).get(sectionNo)
      if (!section || !seats || seats.length === 0) return
      const missing = version - versionOf(seats)
      if (missing < 0) return
      const first = { seatNo: section.firstSeat, revision: seats.revision(0) + missing }
      const [raised] = await raiseRevisions(db, eventId, [first])
      if (raised) await merge(eventId, section, [{ index: 0, ...raised }])
    },
  }
  return repair
}

/** By the event's id and not by its index among others: events that open or end change no other event's round. */
function isTurnOf(eventId: string, round: number): boolean {
  let sum = 0
  for (let i = 0; i < eventId.length; i++) sum = (31 * sum + eventId.charCodeAt(i)) % ROUNDS_PRIME
  return (sum + round) % ROUNDS === 0
}

function compare(map: { statuses: Uint8Array; revisions: Uint8Array }, seats: PackedSeats) {
  const revisions = viewOf(map.revisions)
  const newer: MapSeat[] = []
  const lost: { index: number; revision: number }[] = []
  for (let index = 0; index < seats.length; index++) {
    const revision = seats.revision(index)
    const status = seats.status(index)
    const known = revisions.getUint32(4 * index)
    if (revision > known) newer.push({ index, status, revision })
    else if (revision < known || status !== statusAt(map.statuses, index)) {
      lost.push({ index, revision: known })
    }
  }
  return { newer, lost }
}

function wholeSection(seats: PackedSeats): WholeSection {
  const counts: [number, number, number, number] = [0, 0, 0, 0]
  const statuses: SeatStatus[] = []
  const revisions = new DataView(new ArrayBuffer(4 * seats.length))
  for (let index = 0; index < seats.length; index++) {
    const status = seats.status(index)
    counts[status]++
    statuses.push(status)
    revisions.setUint32(4 * index, seats.revision(index))
  }
  return {
    statuses: packStatuses(statuses),
    revisions: new Uint8Array(revisions.buffer),
    version: versionOf(seats),
    counts,
  }
}

function versionOf(seats: PackedSeats): number {
  let sum = 0
  for (let index = 0; index < seats.length; index++) sum += seats.revision(index)
  return sum
}

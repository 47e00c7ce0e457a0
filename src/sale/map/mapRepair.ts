import type { MapScripts, MapSeat, WholeSection } from '../../redis/scripts.ts'
import type { Database } from '../../sql/database.ts'
import { raiseRevisions, readChangedSections, readSeats } from '../../sql/seats.ts'
import type { Catalogue, CatalogueSection } from '../catalogue/catalogue.ts'
import { packStatuses, statusAt } from './packedStatuses.ts'
import type { SeatStatus } from './seatStatus.ts'

/** Seats a script merges at once: Redis does nothing else meanwhile, some 2 µs a seat. */
const MERGE_BATCH = 256
/** A map that others load and a flush takes away again, and again. */
const ATTEMPTS = 5
/** A section in which nothing was written is compared all the same in one of so many rounds: of 2 s each, once a minute. */
const ROUNDS = 30

export interface MapRepair {
  /**
   * Compares sections' maps with the database and mends them, all of an event's by default; loads those that
   * have no map. Returns how many seats differed.
   *
   * A map only ever learns of what is committed. So a seat that the map knows at a higher revision than the
   * database has, or at the same one with another status, in a read that began after the map was read, tells
   * that a crash took a commit back: the seat's revision is raised in the database above the map's, and the
   * map's version goes on upwards.
   */
  rebuild(eventId: string, sectionNos?: readonly number[]): Promise<number>
  /**
   * As `rebuild`, of the sections that are hot: those with a seat that was written since the last time, those without a
   * map, and in turns some of the others. The seats themselves tell which ones, for whatever else could (a mark in
   * Redis, the process that made the change) may be lost together with the change's message.
   *
   * The mark up to which seats were compared stands beside the maps: a Redis that lost or took back these did the same
   * to it.
   */
  rebuildHot(eventId: string): Promise<number>
  /**
   * Makes a section's version one above `version`, where map and database are both below it: a crash took
   * commits back and the map was lost with it. For who has told that version already.
   */
  raiseVersion(eventId: string, sectionNo: number, version: number): Promise<void>
}

export function createMapRepair(deps: { db: Database; catalogue: Catalogue; maps: MapScripts }): MapRepair {
  const { db, catalogue, maps } = deps

  async function merge(eventId: string, section: CatalogueSection, seats: MapSeat[]): Promise<boolean> {
    for (let i = 0; i < seats.length; i += MERGE_BATCH) {
      const merged = await maps.merge(eventId, section.no, seats.slice(i, i + MERGE_BATCH))
      if (merged === 'absent') return false
    }
    return true
  }

  async function readSections(eventId: string, sectionNos: number[]): Promise<Map<number, SectionSeats>> {
    const rows = await readSeats(db, eventId, sectionNos)
    return new Map(rows.map(({ section_no, seats }) => [section_no, unpack(seats)]))
  }

  /** Null where somebody else loaded or lost the map meanwhile: compare again. */
  async function mend(
    eventId: string,
    section: CatalogueSection,
    map: Awaited<ReturnType<MapScripts['readRevisions']>>,
    seats: SectionSeats,
  ): Promise<number | null> {
    if (!map) return (await maps.load(eventId, section.no, wholeSection(seats))) ? 0 : null
    const { newer, lost } = compare(map, seats)
    if (lost.length > 0) {
      const raised = await raiseRevisions(
        db,
        eventId,
        lost.map(({ index, revision }) => ({ seatNo: section.firstSeat + index, revision })),
      )
      for (const { no, status, revision } of raised) {
        newer.push({ index: no - section.firstSeat, status, revision })
      }
    }
    return (await merge(eventId, section, newer)) ? newer.length : null
  }

  const repair: MapRepair = {
    async rebuild(eventId, sectionNos) {
      const event = await catalogue.event(eventId)
      if (!event) return 0
      let sections = event.sections.filter(({ no }) => sectionNos === undefined || sectionNos.includes(no))
      let differed = 0
      for (let attempt = 0; sections.length > 0 && attempt < ATTEMPTS; attempt++) {
        // In this order: see above.
        const known = await Promise.all(sections.map(({ no }) => maps.readRevisions(eventId, no)))
        const seats = await readSections(
          eventId,
          sections.map(({ no }) => no),
        )
        const mended = await Promise.all(
          sections.map((section, i) =>
            mend(eventId, section, known[i] ?? null, seats.get(section.no) as SectionSeats),
          ),
        )
        for (const seatsMended of mended) differed += seatsMended ?? 0
        sections = sections.filter((_, i) => mended[i] === null)
      }
      return differed
    },

    async rebuildHot(eventId) {
      const event = await catalogue.event(eventId)
      if (!event) return 0
      const [{ round, mark }, known] = await Promise.all([maps.nextRound(eventId), maps.counts(eventId)])
      const changed = await readChangedSections(db, eventId, mark)
      const hot = event.sections.filter(
        ({ no }, i) => changed.sectionNos.includes(no) || !known.has(no) || i % ROUNDS === round % ROUNDS,
      )
      const hotNos = hot.map(({ no }) => no)
      const differed = hotNos.length > 0 ? await repair.rebuild(eventId, hotNos) : 0
      await maps.keepMark(eventId, changed.mark)
      return differed
    },

    async raiseVersion(eventId, sectionNo, version) {
      const section = (await catalogue.event(eventId))?.sections.find(({ no }) => no === sectionNo)
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

/** A section's seats in the database. Read in place: a hall of 50,000 is compared every 2 s. */
interface SectionSeats {
  readonly length: number
  status(index: number): SeatStatus
  revision(index: number): number
}

/** As src/sql/seats.ts packs them. */
function unpack(packed: Uint8Array): SectionSeats {
  const view = viewOf(packed)
  return {
    length: packed.byteLength / 4,
    status: (index) => (view.getUint32(4 * index) & 3) as SeatStatus,
    revision: (index) => view.getUint32(4 * index) >>> 2,
  }
}

function compare(map: { statuses: Uint8Array; revisions: Uint8Array }, seats: SectionSeats) {
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

function wholeSection(seats: SectionSeats): WholeSection {
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

function versionOf(seats: SectionSeats): number {
  let sum = 0
  for (let index = 0; index < seats.length; index++) sum += seats.revision(index)
  return sum
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

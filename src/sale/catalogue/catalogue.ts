import { backgroundOperation, inForeground } from '../../async/background.ts'
import { createBoundedCache } from '../../async/boundedCache.ts'
import { yieldToEventLoop } from '../../async/eventLoop.ts'
import { afterCurrentWork, createGatherer } from '../../async/gather.ts'
import type { MaybePromise } from '../../async/maybePromise.ts'
import { createSingleFlights } from '../../async/singleFlight.ts'
import type { Database } from '../../sql/database/database.ts'
import { readEventDetails } from '../../sql/events/eventDetails.ts'
import {
  countCompanionSeats,
  type EventPlanRow,
  type EventRow,
  findEventIdBySlug,
  findEventIds,
  type LayoutSeat,
  readSectionRanges,
  type SectionRow,
} from '../../sql/plans.ts'
import { isEventId, isSlug, parsePlanId, planId } from '../ids.ts'
import { createFreshDetails, type KeptEvent } from './freshDetails.ts'
import { outlineOf } from './outline.ts'
import { createPlanReads } from './planReads.ts'

export interface CatalogueSection extends SectionRow {
  readonly id: string
  /** The number of spaces for wheelchairs. */
  readonly wheelchairSeats: number
}

/** An event in each process's memory. Its plan never changes; freshDetails.ts follows the rest. */
export interface CatalogueEvent extends EventRow, EventPlanRow {
  readonly sections: readonly CatalogueSection[]
  /** Finds a section by its id or by the plan's key. */
  section(idOrKey: string): CatalogueSection | undefined
  sectionOfSeat(seatNo: number): CatalogueSection | undefined
  /** Returns a seat's number within the event, by the seat's id or the plan's key. Seated sections only. */
  seatNo(idOrKey: string): number | undefined
  /** Undefined for a unit of general admission. */
  seat(seatNo: number): LayoutSeat | undefined
  seatId(seatNo: number): string
}

/** The first seat of each section, in plan order. */
export type SectionRanges = readonly { readonly no: number; readonly firstSeat: number }[]

export interface Catalogue {
  /**
   * Returns the event: without a promise when it is in memory and in use. Null where there is no such event. A change of its details
   * shows within two seconds in each process.
   */
  event(id: string): MaybePromise<CatalogueEvent | null>
  /** Reads the details of an event that is in memory: for a caller that has just changed them. */
  refreshDetails(id: string): Promise<void>
  /**
   * Returns the sections of an event without its plan, which takes megabytes: for counts and maps, which lists of events need.
   * Empty where there is no such event.
   */
  sectionRanges(id: string): MaybePromise<SectionRanges>
  /** Returns the number of companion seats. */
  companionSeats(id: string): Promise<number>
  /** True where this process has found the event once. Ids that were made up are never known. */
  isKnown(id: string): boolean
  /** Returns whether there is such an event, without its plan. The ids of a moment share one read. It is known from then on. */
  lookFor(id: string): Promise<boolean>
  eventBySlug(slug: string): Promise<CatalogueEvent | null>
  /**
   * Ignores case: mail programs and posters capitalize addresses. Reads each existing slug once from the database: the slug of an
   * event never changes.
   */
  eventIdBySlug(slug: string): Promise<string | null>
}

/** Seats in memory, of the events that were used most recently: the plans of 64 halls of 50,000, which take about 20 MB each. */
const SEATS_IN_MEMORY = 64 * 50_000
/** What an event takes beside its seats, as seats. */
const SEATS_PER_EVENT = 500
/** 4,000 at most: a few kilobytes each. */
const RANGES_AT_LEAST = 2_000
/** 10,000 at most. */
const SLUGS_AT_LEAST = 5_000
/** The ids of events that exist, 10,000 at most. */
const KNOWN_AT_LEAST = 5_000

export function createCatalogue(db: Database, { seatsInMemory = SEATS_IN_MEMORY } = {}): Catalogue {
  // Not async/boundedCache.ts: that keeps up to twice as many as it must, and plans are large.
  const events = new Map<string, KeptEvent<CatalogueEvent>>()
  const details = createFreshDetails<CatalogueEvent>((id) => readEventDetails(db, id))
  let latest: string | undefined
  let seats = 0
  const readPlan = createPlanReads(db)
  // Apart from the events in memory: reads of ids that were made up evict none of them.
  const loading = createSingleFlights<CatalogueEvent | null>()
  const ids = createBoundedCache<string, string>(SLUGS_AT_LEAST)
  const known = createBoundedCache<string, true>(KNOWN_AT_LEAST)
  const ranges = createBoundedCache<string, SectionRanges>(RANGES_AT_LEAST)
  const loadingRanges = createSingleFlights<SectionRanges>()
  const companions = createBoundedCache<string, number>(RANGES_AT_LEAST)
  const countingCompanions = createSingleFlights<number>()

  async function load(id: string): Promise<CatalogueEvent | null> {
    const plan = await readPlan(id)
    if (!plan) return null
    const event = toCatalogueEvent(plan.event, await toSections(id, plan.sections))
    touch(id, details.keep(event))
    known.set(id, true)
    return event
  }

  /** Makes the event the last one to be evicted. */
  function touch(id: string, kept: KeptEvent<CatalogueEvent>) {
    if (id === latest && events.has(id)) return
    latest = id
    drop(id)
    events.set(id, kept)
    seats += weightOf(kept.event)
    for (const oldest of events.keys()) {
      if (seats <= seatsInMemory || oldest === id) break
      drop(oldest)
    }
  }

  function drop(id: string) {
    const kept = events.get(id)
    if (kept && events.delete(id)) seats -= weightOf(kept.event)
  }

  async function loadRanges(id: string): Promise<SectionRanges> {
    const sections = await readSectionRanges(db, id)
    if (sections.length > 0) {
      ranges.set(id, sections)
      known.set(id, true)
    }
    return sections
  }

  async function countCompanions(id: string): Promise<number> {
    const count = await countCompanionSeats(db, id)
    companions.set(id, count)
    return count
  }

  async function findEvents(wanted: readonly string[]) {
    const found = new Set(await findEventIds(db, wanted))
    for (const id of found) known.set(id, true)
    return wanted.map((id) => found.has(id))
  }

  /** One read at a time: a flood of ids that were made up takes one connection. */
  let finding: Promise<unknown> = Promise.resolve()
  const lookFor = createGatherer<string, boolean>({
    when: (send) => void finding.then(() => afterCurrentWork(send)),
    send(wanted) {
      const found = findEvents(wanted)
      finding = found.catch(() => {})
      return found
    },
  })

  /** A caller of the foreground waits for no read of the background. */
  const inItsKind = (id: string) => (backgroundOperation() === undefined ? `foreground ${id}` : id)

  const catalogue: Catalogue = {
    event(id) {
      if (!isEventId(id)) return null
      const kept = events.get(id)
      if (!kept) return loading.run(inItsKind(id), () => load(id))
      touch(id, kept)
      return details.current(kept)
    },
    async refreshDetails(id) {
      const kept = events.get(id)
      if (kept) await details.refresh(kept)
    },
    sectionRanges(id) {
      if (!isEventId(id)) return []
      return (
        events.get(id)?.event.sections ??
        ranges.get(id) ??
        loadingRanges.run(inItsKind(id), () => loadRanges(id))
      )
    },
    companionSeats: async (id) =>
      companions.get(id) ?? countingCompanions.run(inItsKind(id), () => countCompanions(id)),
    isKnown: (id) => known.get(id) === true,
    lookFor: async (id) => isEventId(id) && inForeground(() => lookFor(id)),
    async eventBySlug(slug) {
      const id = await catalogue.eventIdBySlug(slug)
      return id === null ? null : catalogue.event(id)
    },
    async eventIdBySlug(given) {
      const slug = given.toLowerCase()
      if (!isSlug(slug)) return null
      const known = ids.get(slug)
      if (known !== undefined) return known
      const id = await findEventIdBySlug(db, slug)
      if (id !== null) ids.set(slug, id)
      return id
    },
  }
  return catalogue
}

function weightOf({ sections }: CatalogueEvent): number {
  return sections.reduce((sum, { layout }) => sum + layout.length, SEATS_PER_EVENT)
}

/** Yields to the event loop after each section: the outlines of 50,000 seats take some 100 ms. */
async function toSections(eventId: string, rows: readonly SectionRow[]): Promise<CatalogueSection[]> {
  const sections: CatalogueSection[] = []
  for (const row of rows) {
    sections.push({
      ...row,
      id: planId('sec', eventId, row.no),
      outline: row.kind === 'SEATED' ? outlineOf(row.layout) : row.outline,
      wheelchairSeats: row.layout.filter(({ wheelchair }) => wheelchair).length,
    })
    await yieldToEventLoop()
  }
  return sections
}

function toCatalogueEvent(
  event: EventRow & EventPlanRow,
  sections: readonly CatalogueSection[],
): CatalogueEvent {
  const sectionByKey = new Map(sections.map((section) => [section.key, section]))
  const sectionByNo = new Map(sections.map((section) => [section.no, section]))
  const seatByKey = new Map<string, number>()
  for (const { firstSeat, layout } of sections)
    for (const seat of layout) seatByKey.set(seat.key, firstSeat + seat.index)

  function sectionOfSeat(seatNo: number) {
    return sections.find(({ firstSeat, capacity }) => seatNo >= firstSeat && seatNo < firstSeat + capacity)
  }
  function seat(seatNo: number) {
    const section = sectionOfSeat(seatNo)
    return section?.layout[seatNo - section.firstSeat]
  }

  return {
    ...event,
    sections,
    section(idOrKey) {
      const id = parsePlanId('sec', idOrKey)
      const byId = id?.eventId === event.id ? sectionByNo.get(id.no) : undefined
      return byId ?? sectionByKey.get(idOrKey)
    },
    sectionOfSeat,
    seatNo(idOrKey) {
      const id = parsePlanId('seat', idOrKey)
      if (id?.eventId === event.id && seat(id.no)) return id.no
      return seatByKey.get(idOrKey)
    },
    seat,
    seatId: (seatNo) => planId('seat', event.id, seatNo),
  }
}

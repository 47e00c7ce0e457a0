import type { Database } from './database/database.ts'

/** One seat as a section's layout has it, under the names of the API's type Seat. */
export interface LayoutSeat {
  id: string
  key: string
  index: number
  row: string
  number: string
  x: number
  y: number
  priceLevelId: string
  wheelchair: boolean
  companionOf: string | null
  /** The rest is absent where it does not apply, and of events that an older version stored. */
  rowIndex?: number
  run?: number
  runPosition?: number
  ring?: true
  across?: string
  rank?: number
  rowLabels?: Point[]
  rowLabel?: string
  seatLabel?: string
  radius?: number
}

export interface Point {
  x: number
  y: number
}

/** One area as the event has it, under the names of the API's type PlanArea. */
export interface AreaRow extends Point {
  kind: 'RECTANGLE' | 'CIRCLE' | 'ELLIPSE' | 'POLYGON' | 'TEXT'
  rotation: number
  width: number | null
  height: number | null
  radiusX: number | null
  radiusY: number | null
  points: Point[]
  color: string | null
  borderColor: string | null
  text: (Point & { text: string; size: number; color: string | null }) | null
  feature: 'STAGE' | 'SCREEN' | 'FIELD' | null
  sectionId: string | null
}

/** How an event looks on its page. */
export interface EventAppearance {
  /** https. */
  readonly imageUrl: string | null
  /** #rrggbb. */
  readonly accentColor: string | null
  readonly presaleText: string | null
  readonly terms: string | null
}

export interface EventRow {
  id: string
  slug: string
  name: string
  performers: string[]
  venueName: string
  venueCity: string | null
  latitude: number | null
  longitude: number | null
  startsAt: Date
  timeZone: string
  planWidth: number | null
  planHeight: number | null
  currency: string
  /** Undefined in the results of a search. */
  appearance?: EventAppearance | null
}

/** What an event's plan has besides its sections. */
export interface EventPlanRow {
  /** In drawing order. */
  areas: AreaRow[]
  /** The middle of what the seats look at; null where it is unknown. */
  focus: Point | null
}

export interface SectionRow {
  eventId: string
  no: number
  key: string
  name: string
  kind: 'SEATED' | 'GENERAL_ADMISSION'
  capacity: number
  firstSeat: number
  levelNos: number[]
  outline: Point[]
  layout: LayoutSeat[]
  layoutHash: string
}

/** A section without its seats. */
export type SectionHeadRow = Omit<SectionRow, 'layout'>

/** An event with its sections in plan order, without their seats; null where there is none. Neither ever changes. */
export async function readPlanHead(
  db: Database,
  eventId: string,
): Promise<{ event: EventRow & EventPlanRow; sections: SectionHeadRow[] } | null> {
  const event = await db.prisma.event.findUnique({ where: { id: eventId } })
  if (!event) return null
  const sections = await db.prisma.section.findMany({
    where: { eventId },
    orderBy: { no: 'asc' },
    omit: { layout: true },
  })
  return {
    event: event as unknown as EventRow & EventPlanRow,
    sections: sections as unknown as SectionHeadRow[],
  }
}

/** The seats of some sections, by the section's number. */
export async function readLayouts(
  db: Database,
  eventId: string,
  sectionNos: number[],
): Promise<Map<number, LayoutSeat[]>> {
  const rows = await db.prisma.section.findMany({
    where: { eventId, no: { in: sectionNos } },
    select: { no: true, layout: true },
  })
  return new Map(rows.map(({ no, layout }) => [no, layout as unknown as LayoutSeat[]]))
}

/** What the counts of an event need of its sections, in plan order: a few bytes a section. Empty where there is no event. */
export function readSectionRanges(
  db: Database,
  eventId: string,
): Promise<{ no: number; firstSeat: number }[]> {
  return db.prisma.section.findMany({
    where: { eventId },
    orderBy: { no: 'asc' },
    select: { no: true, firstSeat: true },
  })
}

export function countCompanionSeats(db: Database, eventId: string): Promise<number> {
  return db.prisma.seat.count({ where: { eventId, companionOf: { not: null } } })
}

export async function findEventIdBySlug(db: Database, slug: string): Promise<string | null> {
  const event = await db.prisma.event.findUnique({ where: { slug }, select: { id: true } })
  return event?.id ?? null
}

/** Those of the ids that are events. */
export async function findEventIds({ pool }: Database, ids: readonly string[]): Promise<string[]> {
  const { rows } = await pool.query({
    name: 'find_event_ids',
    text: 'select id from events where id = any ($1)',
    values: [ids],
  })
  return rows.map(({ id }) => id)
}

export interface PriceLevelRow {
  eventId: string
  no: number
  key: string
  name: string
  color: string | null
  price: bigint
  fee: bigint
  /** False: its seats are not for sale before the organizer sets a price. */
  priced: boolean
}

/** An event's price levels by number. Prices may change while a sale is on. */
export function readPriceLevels(db: Database, eventId: string): Promise<PriceLevelRow[]> {
  return db.prisma.priceLevel.findMany({ where: { eventId }, orderBy: { no: 'asc' } })
}

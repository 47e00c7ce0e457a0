import type { Database } from './database.ts'

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

export interface SectionRow {
  eventId: string
  no: number
  key: string
  name: string
  kind: 'SEATED' | 'GENERAL_ADMISSION'
  capacity: number
  firstSeat: number
  levelNos: number[]
  outline: { x: number; y: number }[]
  layout: LayoutSeat[]
  layoutHash: string
}

/** An event with its sections in plan order; null where there is none. Neither ever changes. */
export async function readPlan(
  db: Database,
  eventId: string,
): Promise<{ event: EventRow; sections: SectionRow[] } | null> {
  const event = await db.prisma.event.findUnique({ where: { id: eventId } })
  if (!event) return null
  const sections = await db.prisma.section.findMany({ where: { eventId }, orderBy: { no: 'asc' } })
  return { event: event as unknown as EventRow, sections: sections as unknown as SectionRow[] }
}

export async function findEventIdBySlug(db: Database, slug: string): Promise<string | null> {
  const event = await db.prisma.event.findUnique({ where: { slug }, select: { id: true } })
  return event?.id ?? null
}

export interface PriceLevelRow {
  eventId: string
  no: number
  key: string
  name: string
  color: string | null
  price: bigint
  fee: bigint
}

/** An event's price levels by number. Prices may change while a sale is on. */
export function readPriceLevels(db: Database, eventId: string): Promise<PriceLevelRow[]> {
  return db.prisma.priceLevel.findMany({ where: { eventId }, orderBy: { no: 'asc' } })
}

import type { EventAppearance, EventPlanRow, EventRow, SectionRow } from '../plans.ts'
import type { SaleSettings } from '../sales.ts'

/** All of an event, except its waiting room. */
export interface NewEvent {
  readonly event: EventRow & EventPlanRow
  readonly appearance: EventAppearance | null
  readonly sections: readonly SectionRow[]
  readonly levels: readonly NewPriceLevel[]
  readonly seats: readonly NewSeat[]
  readonly sale: SaleSettings
}

export interface NewPriceLevel {
  readonly no: number
  readonly key: string
  readonly name: string
  readonly color: string | null
  readonly price: bigint
  readonly fee: bigint
  /** False: its seats are not for sale. */
  readonly priced: boolean
}

/** A seat, or a unit of general admission. */
export interface NewSeat {
  readonly no: number
  readonly sectionNo: number
  readonly levelNo: number
  readonly key: string
  /** Null for a unit of general admission, as is the rank. */
  readonly row: {
    readonly no: number
    /** From 1 along the row. */
    readonly position: number
    /** The number of its seats where the last is beside the first. */
    readonly ringSize: number | null
  } | null
  readonly rank: number | null
  /** The seat across the table. */
  readonly across: number | null
  readonly wheelchair: boolean
  /** Of a companion seat: its wheelchair seat's number. */
  readonly companionOf: number | null
  readonly forSale: boolean
}

/** An event in the form in which `insertEvent` sends it: texts instead of a million small objects. */
export interface EventRows extends Omit<NewEvent, 'sections' | 'seats'> {
  readonly sections: readonly SectionTexts[]
  /** For some thousands of seats each: their columns, as literals of PostgreSQL's arrays. */
  readonly seats: readonly (readonly string[])[]
  readonly seatCount: number
}

/** A section whose JSON columns are texts. */
export interface SectionTexts extends Omit<SectionRow, 'outline' | 'layout'> {
  readonly outline: string
  readonly layout: string
}

/** As prisma/functions/ring_size.sql reads it. */
const RING = 65_536
/** Seats in one statement: the process sends their columns within milliseconds. */
const SEATS_AT_ONCE = 10_000

/** Returns the event in the form in which it is inserted. Takes a second for 150,000 seats, so it runs on a thread for a large plan. */
export function toEventRows({ sections, seats, ...event }: NewEvent): EventRows {
  const columns: string[][] = []
  for (let i = 0; i < seats.length; i += SEATS_AT_ONCE)
    columns.push(columnsOf(seats.slice(i, i + SEATS_AT_ONCE)))
  return {
    ...event,
    sections: sections.map((section) => ({
      ...section,
      outline: JSON.stringify(section.outline),
      layout: JSON.stringify(section.layout),
    })),
    seats: columns,
    seatCount: seats.length,
  }
}

function columnsOf(seats: readonly NewSeat[]): string[] {
  const column = (read: (seat: NewSeat) => number | boolean | null) => `{${seats.map(read).map(String)}}`
  return [
    column(({ no }) => no),
    column(({ sectionNo }) => sectionNo),
    column(({ levelNo }) => levelNo),
    `{${seats.map(({ key }) => `"${key.replace(/["\\]/g, '\\$&')}"`)}}`,
    column(({ row }) => row?.no ?? null),
    column(({ row }) => row && RING * (row.ringSize ?? 0) + row.position),
    column(({ rank }) => rank),
    column(({ wheelchair }) => wheelchair),
    column(({ companionOf }) => companionOf),
    column(({ across }) => across),
    column(({ forSale }) => forSale),
  ]
}

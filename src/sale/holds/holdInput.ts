import type { CatalogueEvent, CatalogueSection } from '../catalogue/catalogue.ts'
import { parsePlanId } from '../ids.ts'
import { createInputFaults, type InputFaults } from '../inputFaults.ts'
import { RANGES } from '../numberRanges.ts'
import type { Selection } from './holdAttempts.ts'

/** The input of `hold`, with one of three selections. */
export type HoldInput = { eventId: string; idempotencyKey: string } & HoldSelection

export type HoldSelection =
  | {
      /** Seat ids or the plan's keys, in any order. */
      seats: readonly string[]
    }
  | { bestAvailable: BestAvailable }
  | { generalAdmission: GeneralAdmission }

export interface BestAvailable {
  quantity: number
  /** Id or key; null for anywhere. */
  sectionId?: string | null
  priceLevelId?: string | null
  /** Default: side by side in one row, or nothing. */
  together?: boolean | null
}

export interface GeneralAdmission {
  sectionId: string
  quantity: number
}

export const SEATS_PATH = ['input', 'selection', 'seats'] as const
const BEST_PATH = ['input', 'selection', 'bestAvailable'] as const
const GENERAL_ADMISSION_PATH = ['input', 'selection', 'generalAdmission'] as const

const MAX_SEATS = RANGES.quantity.max

/** Returns the event and the selection in the plan's numbers. Throws BAD_USER_INPUT with every fault. */
export function checkHoldInput(
  event: CatalogueEvent | null,
  input: HoldInput,
): { event: CatalogueEvent; selection: Selection; idempotencyKey: string } {
  const faults = createInputFaults()
  if (!event) faults.add(['input', 'eventId'], 'is not the id of an event')
  faults.text(['input', 'idempotencyKey'], input.idempotencyKey)
  const selection = event ? readSelection(event, input, faults) : null
  faults.throwAny()
  return {
    event: event as CatalogueEvent,
    selection: selection as Selection,
    idempotencyKey: input.idempotencyKey,
  }
}

function readSelection(event: CatalogueEvent, input: HoldInput, faults: InputFaults): Selection {
  if ('seats' in input) return readSeats(event, input.seats, faults)
  if ('bestAvailable' in input) return readBest(event, input.bestAvailable, faults)
  return readGeneralAdmission(event, input.generalAdmission, faults)
}

function readSeats(event: CatalogueEvent, seats: readonly string[], faults: InputFaults): Selection {
  const named = new Set<number>()
  if (seats.length === 0 || seats.length > MAX_SEATS) {
    faults.add(SEATS_PATH, `must name 1 to ${MAX_SEATS} seats`)
  } else {
    for (const [i, seat] of seats.entries()) {
      const no = event.seatNo(seat)
      if (no === undefined) faults.add([...SEATS_PATH, i], 'is not a seat of this event')
      else if (named.has(no)) faults.add([...SEATS_PATH, i], 'is named twice')
      else named.add(no)
    }
  }
  const wheelchairSeats = new Set<number>()
  for (const no of named) {
    const companionOf = event.seat(no)?.companionOf
    const wheelchairSeat = companionOf ? event.seatNo(companionOf) : undefined
    if (wheelchairSeat !== undefined && !named.has(wheelchairSeat)) wheelchairSeats.add(wheelchairSeat)
  }
  return { kind: 'seats', seatNos: ascending(named), wheelchairSeatNos: ascending(wheelchairSeats) }
}

function readBest(event: CatalogueEvent, given: BestAvailable, faults: InputFaults): Selection {
  const { sectionId, priceLevelId, together } = given
  const quantity = faults.number([...BEST_PATH, 'quantity'], given.quantity, RANGES.quantity)
  const section = sectionId == null ? null : event.section(sectionId)
  if (section === undefined) faults.add([...BEST_PATH, 'sectionId'], 'is not a section of this event')
  else if (section?.kind === 'GENERAL_ADMISSION')
    faults.add(
      [...BEST_PATH, 'sectionId'],
      'is a general-admission area: hold its units with generalAdmission',
    )
  const sections = (section ? [section] : event.sections).filter(({ kind }) => kind === 'SEATED')
  if (section === null && sections.length === 0)
    faults.add(BEST_PATH, 'finds no seats: this event has general-admission areas only')
  const levelNo = priceLevelId == null ? null : levelOf(event, sections, priceLevelId)
  if (levelNo === undefined)
    faults.add(
      [...BEST_PATH, 'priceLevelId'],
      section ? 'is not a price level of this section' : 'is not a price level of this event’s seats',
    )
  return {
    kind: 'best',
    quantity,
    sectionNo: section?.no ?? null,
    levelNo: levelNo ?? null,
    together: together ?? true,
  }
}

/** The number of a price level, or undefined where no seat of these sections has it. */
export function levelOf(
  event: CatalogueEvent,
  sections: readonly CatalogueSection[],
  priceLevelId: string,
): number | undefined {
  const id = parsePlanId('lvl', priceLevelId)
  if (id?.eventId !== event.id) return undefined
  return sections.some(({ levelNos }) => levelNos.includes(id.no)) ? id.no : undefined
}

function readGeneralAdmission(
  event: CatalogueEvent,
  given: GeneralAdmission,
  faults: InputFaults,
): Selection {
  const quantity = faults.number([...GENERAL_ADMISSION_PATH, 'quantity'], given.quantity, RANGES.quantity)
  const section = event.section(given.sectionId)
  if (!section) faults.add([...GENERAL_ADMISSION_PATH, 'sectionId'], 'is not a section of this event')
  else if (section.kind === 'SEATED')
    faults.add(
      [...GENERAL_ADMISSION_PATH, 'sectionId'],
      'is a seated section: hold its seats by name, or with bestAvailable',
    )
  return { kind: 'generalAdmission', quantity, sectionNo: section?.no ?? 0 }
}

function ascending(numbers: ReadonlySet<number>): number[] {
  return [...numbers].sort((a, b) => a - b)
}

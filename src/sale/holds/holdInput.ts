import type { CatalogueEvent } from '../events/catalogue.ts'
import { createInputFaults } from '../inputFaults.ts'

export interface HoldInput {
  eventId: string
  /** Seat ids or the plan's keys, in any order. */
  seats: readonly string[]
  idempotencyKey: string
}

export const SEATS_PATH = ['input', 'selection', 'seats'] as const

const MOST_SEATS = 1_000

/** The seats' numbers, ascending. Throws BAD_USER_INPUT with every fault. */
export function checkHoldInput(
  event: CatalogueEvent | null,
  { seats, idempotencyKey }: HoldInput,
): { event: CatalogueEvent; seatNos: number[] } {
  const faults = createInputFaults()
  if (!event) faults.add(['input', 'eventId'], 'is not the id of an event')
  faults.text(['input', 'idempotencyKey'], idempotencyKey)
  const named = new Set<number>()
  if (seats.length === 0 || seats.length > MOST_SEATS) {
    faults.add(SEATS_PATH, `must name 1 to ${MOST_SEATS} seats`)
  } else if (event) {
    for (const [i, seat] of seats.entries()) {
      const no = event.seatNo(seat)
      if (no === undefined) faults.add([...SEATS_PATH, i], 'is not a seat of this event')
      else if (named.has(no)) faults.add([...SEATS_PATH, i], 'is named twice')
      else named.add(no)
    }
  }
  faults.throwAny()
  return { event: event as CatalogueEvent, seatNos: [...named].sort((a, b) => a - b) }
}

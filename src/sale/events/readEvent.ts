import { type EventRows, toEventRows } from '../../sql/events/eventRows.ts'
import type { InputFault } from '../faults.ts'
import { createInputFaults } from '../inputFaults.ts'
import { type EventInput, readEventInput } from './eventInput.ts'
import type { RoomSettings } from './saleInput.ts'

/** The input of `createEvent`, checked and ready to insert; or its faults. A thread can send it. */
export type ReadEvent =
  | { readonly rows: EventRows; readonly room: RoomSettings }
  | { readonly faults: readonly InputFault[] }

/** Reads the input, and lays its plan out. Takes seconds for 150,000 seats. */
export function readEvent(input: EventInput, eventId: string): ReadEvent {
  const faults = createInputFaults()
  const { admissionRate, beaconSource, ...created } = readEventInput(input, eventId, faults)
  if (faults.count > 0) return { faults: faults.list() }
  return { rows: toEventRows(created), room: { admissionRate, beaconSource } }
}

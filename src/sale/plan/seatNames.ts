import type { FaultChecks, Path } from '../inputFaults.ts'
import type { PlanSeat } from './seatingPlan.ts'

interface Named {
  /** What a ticket says. */
  readonly name: string
  readonly path: Path
  readonly key: string
}

/** Finds ids that several seats have, and rows with two seats of one number. */
export interface SeatNames {
  /** `section` is what fans read. */
  add(section: string, seat: PlanSeat, path: Path): void
  /** Adds one fault for all repeated ids, and one for all repeated numbers. */
  reportTo(faults: FaultChecks): void
}

/** Names in a fault, besides the first. */
const LISTED = 4

export function createSeatNames(): SeatNames {
  const keys = createRepetitions()
  const numbers = createRepetitions()

  return {
    add(section, seat, path) {
      const named = { name: nameOf(section, seat), path, key: seat.key }
      if (seat.key !== '') keys.add(seat.key, named)
      // Without numbers the fans of a row choose among its seats at the door.
      if (seat.number !== '') numbers.add([...path.slice(0, -1), seat.number].join(' '), named)
    },
    reportTo(faults) {
      const [id, ...ids] = keys.found()
      if (id)
        faults.add(
          [...id.second.path, 'seat_guid'],
          `"${id.first.key}" is the id of two seats: ${placeOf(id.first)}, and ${placeOf(id.second)}` +
            othersOf(
              'ids',
              ids.map(({ first }) => `"${first.key}"`),
            ),
        )
      // Seats with one id are one fault already.
      const [pair, ...pairs] = numbers.found().filter(({ first, second }) => first.key !== second.key)
      if (pair)
        faults.add(
          [...pair.second.path, 'seat_number'],
          `two seats would read "${pair.first.name}" on their tickets: "${pair.first.key}" and "${pair.second.key}"` +
            othersOf(
              'names',
              pairs.map(({ first }) => first.name),
            ),
        )
    },
  }
}

function nameOf(section: string, { row, number, rowLabel, seatLabel }: PlanSeat): string {
  return [section, rowLabel ?? (row && `row ${row}`), seatLabel ?? `seat ${number}`]
    .filter(Boolean)
    .join(', ')
}

function placeOf({ name, path }: Named): string {
  return `${name} (${path.slice(path.indexOf('zones')).join('.')})`
}

function othersOf(what: string, names: readonly string[]): string {
  if (names.length === 0) return ''
  const listed = names.slice(0, LISTED).join(', ')
  return `. ${names.length + 1} ${what} are repeated, also ${listed}${names.length > LISTED ? ' …' : ''}`
}

/** Collects the texts that are added more than once, with the first two of each. */
function createRepetitions() {
  const firsts = new Map<string, Named>()
  const repeated = new Map<string, { readonly first: Named; readonly second: Named }>()
  return {
    add(text: string, named: Named) {
      const first = firsts.get(text)
      if (!first) firsts.set(text, named)
      else if (!repeated.has(text)) repeated.set(text, { first, second: named })
    },
    found: () => [...repeated.values()],
  }
}

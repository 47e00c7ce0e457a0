import { readFileSync } from 'node:fs'
import { createInputFaults } from '../../src/sale/inputFaults.ts'
import type { SeatPosition } from '../../src/sale/plan/locateSeats.ts'
import { readSeatingPlan } from '../../src/sale/plan/readSeatingPlan.ts'
import type { PlanSeat, SeatingPlan } from '../../src/sale/plan/seatingPlan.ts'

/** Reads a plan, and throws if it has a fault. */
export function planOf(given: unknown): SeatingPlan {
  const faults = createInputFaults()
  const plan = readSeatingPlan(given, [], faults)
  faults.throwAny()
  return plan as SeatingPlan
}

/** The text of a plan in demo/ or test/plans/. */
export function planFile(name: string): string {
  return readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8')
}

/** A plan of one section with these seats. */
export function planOfSeats(seats: readonly Partial<PlanSeat>[]): SeatingPlan {
  const rows = new Map(seats.map(({ planRow = 0, row = '' }) => [planRow, { label: row, labelEnds: null }]))
  return {
    width: null,
    height: null,
    categories: [{ key: 'A', name: 'A', color: null }],
    areas: [],
    sections: [
      {
        key: 'Hall',
        name: 'Hall',
        rows: [...rows.values()],
        seats: seats.map((seat, i) => ({
          key: String(i + 1),
          row: '',
          planRow: 0,
          number: String(i + 1),
          rowLabel: null,
          seatLabel: null,
          x: 0,
          y: 0,
          radius: null,
          category: 0,
          wheelchair: false,
          companionOf: null,
          ...seat,
        })),
      },
    ],
  }
}

/** Whether two seats of a section are side by side. */
export function areNeighbours(a: SeatPosition, b: SeatPosition): boolean {
  if (a.rowNo !== b.rowNo) return false
  const gap = Math.abs(a.position - b.position)
  return gap === 1 || (a.ringSize !== null && gap === a.ringSize - 1)
}

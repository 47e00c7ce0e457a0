import { distance, turn } from './planGeometry.ts'
import type { PlanSeat } from './seatingPlan.ts'
import type { Row } from './sectionRows.ts'

/** Degrees off the straight line across the table. */
const SLANT = 20
/** Times the distance of neighbours: a wider table seats no group. */
const WIDEST = 5
/** Seats of one bench. A longer one is no table, and every seat would be compared with every one across. */
const LONGEST = 200

/**
 * Returns the seat across the table by seat, both ways, as indexes into the section. A table is a row of the plan whose
 * seats form two benches that face each other.
 */
export function acrossTables(seats: readonly PlanSeat[], rows: readonly Row[]): Map<number, number> {
  const across = new Map<number, number>()
  const byPlanRow = new Map<number, Row[]>()
  for (const row of rows) {
    const planRows = new Set(row.seats.map((i) => (seats[i] as PlanSeat).planRow))
    for (const planRow of planRows) {
      const own = byPlanRow.get(planRow)
      if (own) own.push(row)
      else byPlanRow.set(planRow, [row])
    }
  }
  for (const [planRow, benches] of byPlanRow) {
    const [a, b] = benches as [Row, Row]
    if (benches.length !== 2 || !isBench(seats, a, planRow) || !isBench(seats, b, planRow)) continue
    for (const [i, j] of facing(seats, a, b)) across.set(i, j).set(j, i)
  }
  return across
}

/** Whether the row is all of the plan's row, in one piece of 2 to 200 seats. */
function isBench(seats: readonly PlanSeat[], row: Row, planRow: number): boolean {
  const { length } = row.seats
  return (
    length > 1 &&
    length <= LONGEST &&
    !row.isRing &&
    row.positions[length - 1] === length &&
    row.seats.every((i) => (seats[i] as PlanSeat).planRow === planRow)
  )
}

function facing(seats: readonly PlanSeat[], a: Row, b: Row): [number, number][] {
  const at = (i: number) => seats[i] as PlanSeat
  const nearest = (i: number, others: readonly number[]) =>
    others.reduce((near, j) => (distance(at(i), at(j)) < distance(at(i), at(near)) ? j : near))
  const pitch = distance(at(a.seats[0] as number), at(a.seats[1] as number))
  return a.seats.flatMap((i, n): [number, number][] => {
    const j = nearest(i, b.seats)
    if (nearest(j, a.seats) !== i || distance(at(i), at(j)) > WIDEST * pitch) return []
    const beside = at(a.seats[n === 0 ? 1 : n - 1] as number)
    return Math.abs(Math.abs(turn(beside, at(i), at(j))) - 90) <= SLANT ? [[i, j]] : []
  })
}

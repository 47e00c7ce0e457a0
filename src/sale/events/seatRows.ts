import type { PlanSeat } from './seatingPlan.ts'

/** Where a seat stands among the others; all of it follows from the plan and never changes. */
export interface SeatPlace {
  /** The event's rows from 1, in the order of their best seats' ranks. */
  readonly rowNo: number
  /** From 1 along the row. Two seats are side by side where it differs by one: an aisle leaves a number out. */
  readonly rowPlace: number
  /** 1 is the best seat of the event. */
  readonly rank: number
}

interface Row {
  readonly section: number
  /** Indexes of its seats within the section, along the row. */
  readonly seats: readonly number[]
  readonly places: readonly number[]
  /** 0 for the section's first row. */
  readonly depth: number
}

/** An aisle or a missing seat shows as more than this many times the usual distance between neighbours. */
const AISLE = 1.5
/** Two seats further from the middle of a row are as bad as one row further back. */
const ROW_IN_SEATS = 2

/**
 * Finds rows, neighbours and ranks of a plan's sections; answers by section, then by seat.
 *
 * A row is what has one label within its section (without labels, what the plan lists as one row): halves on both
 * sides of an aisle are one row, and the aisle breaks it. Neighbours are told by their positions; where a row's seats
 * all stand on one spot, by their order and their numbers. The best rows are those with the lowest numbers, or the
 * first letters, and in a row its middle.
 */
export function placeSeats(sections: readonly { seats: readonly PlanSeat[] }[]): SeatPlace[][] {
  const rows = sections.flatMap(({ seats }, section) => rowsOf(seats, section))
  const ranked = rows
    .flatMap((row) => {
      const middle = (row.seats.length - 1) / 2
      return row.seats.map((seat, i) => ({
        row,
        seat,
        rowPlace: row.places[i] as number,
        cost: ROW_IN_SEATS * row.depth + Math.abs(i - middle),
      }))
    })
    .sort((a, b) => a.cost - b.cost || a.row.depth - b.row.depth || a.row.section - b.row.section)
  const rowNos = new Map<Row, number>()
  const placed: SeatPlace[][] = sections.map(() => [])
  for (const [i, { row, seat, rowPlace }] of ranked.entries()) {
    const rowNo = rowNos.get(row) ?? rowNos.size + 1
    rowNos.set(row, rowNo)
    ;(placed[row.section] as SeatPlace[])[seat] = { rowNo, rowPlace, rank: i + 1 }
  }
  return placed
}

function rowsOf(seats: readonly PlanSeat[], section: number): Row[] {
  const byRow = Map.groupBy(seats.keys(), (i) => {
    const { row, planRow } = seats[i] as PlanSeat
    return row === '' ? planRow : row
  })
  const lines = [...byRow].map(([label, indexes]) => ({ label, indexes: alongRow(seats, indexes) }))
  const pitch = median(lines.flatMap(({ indexes }) => gaps(seats, indexes)))
  return lines
    .toSorted((a, b) => compareLabels(a.label, b.label))
    .map(({ indexes }, depth) => ({
      section,
      seats: indexes,
      places: placesOf(seats, indexes, pitch),
      depth,
    }))
}

/** From one end of the row to the other. */
function alongRow(seats: readonly PlanSeat[], indexes: readonly number[]): number[] {
  const at = (i: number) => seats[i] as PlanSeat
  const first = at(indexes[0] as number)
  const farthest = (from: PlanSeat) =>
    indexes.reduce((far, i) => (distance(at(i), from) > distance(far, from) ? at(i) : far), from)
  // The two ends; from left to right, or from top to bottom.
  const [a, b] = [farthest(first), farthest(farthest(first))]
  const turned = a.x > b.x || (a.x === b.x && a.y > b.y)
  const [start, end] = turned ? [b, a] : [a, b]
  const along = (i: number) =>
    (at(i).x - start.x) * (end.x - start.x) + (at(i).y - start.y) * (end.y - start.y)
  return indexes.toSorted((i, j) => along(i) - along(j) || i - j)
}

function gaps(seats: readonly PlanSeat[], indexes: readonly number[]): number[] {
  return indexes
    .slice(1)
    .map((index, i) => distance(seats[index] as PlanSeat, seats[indexes[i] as number] as PlanSeat))
}

function placesOf(seats: readonly PlanSeat[], indexes: readonly number[], sectionPitch: number): number[] {
  const distances = gaps(seats, indexes)
  // Two seats with an aisle between them tell nothing of what is usual.
  const pitch = distances.length > 2 ? median(distances) : sectionPitch
  let place = 1
  return indexes.map((index, i) => {
    if (i > 0) {
      const before = seats[indexes[i - 1] as number] as PlanSeat
      const breaks =
        pitch > 0
          ? (distances[i - 1] as number) > AISLE * pitch
          : skipsNumber(before.number, (seats[index] as PlanSeat).number)
      place += breaks ? 2 : 1
    }
    return place
  })
}

function skipsNumber(a: string, b: string): boolean {
  const step = Math.abs(Number(a) - Number(b))
  return Number.isFinite(step) && step > 1
}

function distance(a: PlanSeat, b: PlanSeat): number {
  return Math.sqrt((a.x - b.x) ** 2 + (a.y - b.y) ** 2)
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}

/** 2 before 10, Z before AA. Rows without labels stay in the plan's order. */
function compareLabels(a: string | number, b: string | number): number {
  if (typeof a === 'number' || typeof b === 'number') return Number(a) - Number(b) || 0
  const letters = /^[A-Za-z]+$/
  if (letters.test(a) && letters.test(b) && a.length !== b.length) return a.length - b.length
  return collator.compare(a, b)
}

const collator = new Intl.Collator('en', { numeric: true })

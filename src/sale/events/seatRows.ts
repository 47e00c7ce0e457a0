import type { PlanSeat } from './seatingPlan.ts'

/** A seat's position among the other seats. It follows from the plan and never changes. */
export interface SeatPosition {
  /** The event's rows from 1, in the order of their best seats' ranks. */
  readonly rowNo: number
  /** From 1 along the row. Two seats whose numbers differ by one are side by side: an aisle skips a number. */
  readonly rowPlace: number
  /** 1 is the best seat of the event. */
  readonly rank: number
}

interface Row {
  readonly section: number
  /** Indexes of its seats within the section, along the row. */
  readonly seats: readonly number[]
  /** Each seat's number along the row; an aisle skips a number. */
  readonly positions: readonly number[]
  /** 0 for the section's first row. */
  readonly depth: number
}

/** A gap of more than this many times the usual distance between neighbours is an aisle or a missing seat. */
const AISLE = 1.5
/** A seat that is two seats further from the middle ranks like a seat one row further back. */
const ROW_IN_SEATS = 2

/**
 * Returns each seat's row, position and rank, by section, then by seat.
 *
 * A row is the seats of a section that have one label. Without labels, it is the seats that the plan lists as one
 * row. The halves on both sides of an aisle are one row, and the aisle breaks it. Coordinates decide which seats are
 * neighbours. Where all seats of a row have the same coordinates, their order and numbers decide. The best rows
 * have the lowest numbers or the first letters; the best seats of a row are in its middle.
 */
export function locateSeats(sections: readonly { seats: readonly PlanSeat[] }[]): SeatPosition[][] {
  const rows = sections.flatMap(({ seats }, section) => rowsOf(seats, section))
  const ranked = rows
    .flatMap((row) => {
      const middle = (row.seats.length - 1) / 2
      return row.seats.map((seat, i) => ({
        row,
        seat,
        rowPlace: row.positions[i] as number,
        cost: ROW_IN_SEATS * row.depth + Math.abs(i - middle),
      }))
    })
    .sort((a, b) => a.cost - b.cost || a.row.depth - b.row.depth || a.row.section - b.row.section)
  const rowNos = new Map<Row, number>()
  const located: SeatPosition[][] = sections.map(() => [])
  for (const [i, { row, seat, rowPlace }] of ranked.entries()) {
    const rowNo = rowNos.get(row) ?? rowNos.size + 1
    rowNos.set(row, rowNo)
    ;(located[row.section] as SeatPosition[])[seat] = { rowNo, rowPlace, rank: i + 1 }
  }
  return located
}

function rowsOf(seats: readonly PlanSeat[], section: number): Row[] {
  const byRow = Map.groupBy(seats.keys(), (i) => {
    const { row, planRow } = seats[i] as PlanSeat
    return row === '' ? planRow : row
  })
  const labelled = [...byRow].map(([label, indexes]) => ({ label, indexes: alongRow(seats, indexes) }))
  const pitch = median(labelled.flatMap(({ indexes }) => gaps(seats, indexes)))
  return labelled
    .toSorted((a, b) => compareLabels(a.label, b.label))
    .map(({ indexes }, depth) => ({
      section,
      seats: indexes,
      positions: positionsOf(seats, indexes, pitch),
      depth,
    }))
}

/** Sorts seats from one end of their row to the other. */
function alongRow(seats: readonly PlanSeat[], indexes: readonly number[]): number[] {
  const at = (i: number) => seats[i] as PlanSeat
  const first = at(indexes[0] as number)
  const farthest = (from: PlanSeat) =>
    indexes.reduce((far, i) => (distance(at(i), from) > distance(far, from) ? at(i) : far), from)
  // The two ends of the row: the order is from left to right, or from top to bottom.
  const [a, b] = [farthest(first), farthest(farthest(first))]
  const isReversed = a.x > b.x || (a.x === b.x && a.y > b.y)
  const [start, end] = isReversed ? [b, a] : [a, b]
  const along = (i: number) =>
    (at(i).x - start.x) * (end.x - start.x) + (at(i).y - start.y) * (end.y - start.y)
  return indexes.toSorted((i, j) => along(i) - along(j) || i - j)
}

function gaps(seats: readonly PlanSeat[], indexes: readonly number[]): number[] {
  return indexes
    .slice(1)
    .map((index, i) => distance(seats[index] as PlanSeat, seats[indexes[i] as number] as PlanSeat))
}

function positionsOf(seats: readonly PlanSeat[], indexes: readonly number[], sectionPitch: number): number[] {
  const distances = gaps(seats, indexes)
  // A row of two or three seats is too short to show the usual distance: an aisle may be among its gaps.
  const pitch = distances.length > 2 ? median(distances) : sectionPitch
  let position = 1
  return indexes.map((index, i) => {
    if (i > 0) {
      const before = seats[indexes[i - 1] as number] as PlanSeat
      const breaks =
        pitch > 0
          ? (distances[i - 1] as number) > AISLE * pitch
          : skipsNumber(before.number, (seats[index] as PlanSeat).number)
      position += breaks ? 2 : 1
    }
    return position
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

/** Sorts 2 before 10, and Z before AA. Rows without labels stay in the plan's order. */
function compareLabels(a: string | number, b: string | number): number {
  if (typeof a === 'number' || typeof b === 'number') return Number(a) - Number(b) || 0
  const letters = /^[A-Za-z]+$/
  if (letters.test(a) && letters.test(b) && a.length !== b.length) return a.length - b.length
  return collator.compare(a, b)
}

const collator = new Intl.Collator('en', { numeric: true })

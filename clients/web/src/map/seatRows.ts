import type { Point, Seat } from '../../../../sdk/index.ts'

/** Seats side by side, without an aisle between them, as indexes of the section's seats. */
export type Run = readonly number[]

/** One row object of the plan. Two of them may have the same label. */
export interface SeatRow {
  readonly label: string
  /** Indexes of its seats, from one end to the other. */
  readonly seats: readonly number[]
}

/** A gap of more than this many times the usual distance between neighbours is an aisle. */
const AISLE = 1.6
const DEFAULT_PITCH = 25

/** The usual distance between neighbours, in plan units. It sets the size of a drawn seat. */
export function pitchOf(seats: readonly Seat[]): number {
  const gaps: number[] = []
  for (const [i, seat] of seats.entries()) {
    const next = seats[i + 1]
    if (next && next.row === seat.row) gaps.push(distance(next, seat))
  }
  gaps.sort((a, b) => a - b)
  return gaps[Math.floor(gaps.length / 2)] || DEFAULT_PITCH
}

/** The rows of a section in its seats' order. */
export function rowsOf(seats: readonly Seat[]): SeatRow[] {
  const rows = new Map<string, { label: string; seats: number[] }>()
  for (const [i, seat] of seats.entries()) {
    const row = rows.get(seat.row)
    if (row) row.seats.push(i)
    else rows.set(seat.row, { label: seat.row, seats: [i] })
  }
  return [...rows.values()]
}

/** The runs of a section: each row cut at its aisles. */
export function runsOf(seats: readonly Seat[], rows: readonly SeatRow[], pitch: number): Run[] {
  const runs: number[][] = []
  for (const row of rows) {
    let last: Seat | undefined
    for (const i of row.seats) {
      const seat = seats[i] as Seat
      const run = runs.at(-1)
      if (run && last && distance(seat, last) < pitch * AISLE) run.push(i)
      else runs.push([i])
      last = seat
    }
  }
  return runs
}

export function distance(a: Point, b: Point): number {
  return Math.hypot(a.x - b.x, a.y - b.y)
}

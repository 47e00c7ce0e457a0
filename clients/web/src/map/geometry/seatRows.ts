import type { Point, Seat } from '../../../../sdk/index.ts'

/** Seats side by side, without an aisle between them, as indexes of the section's seats. */
export type Run = readonly number[]

/** One row object of the plan. Two of them may have the same label. */
export interface SeatRow {
  readonly label: string
  /** The plan's own words for it, such as "Table 5"; null: the word for a row, and the label. */
  readonly name: string | null
  /** Indexes of its seats, from one end to the other. */
  readonly seats: readonly number[]
}

/** A gap of more than this many times the usual distance between neighbours is an aisle. */
const AISLE = 1.6
const DEFAULT_PITCH = 25
const SAMPLE = 400

/** The usual distance between neighbours, in plan units. It sets the size of a drawn seat. */
export function pitchOf(seats: readonly Seat[]): number {
  return median(nearestSteps(seats).map(({ x, y }) => Math.hypot(x, y))) || DEFAULT_PITCH
}

/** The way from each seat to the nearest one of its row. Some hundred seats stand for all of a large section. */
function nearestSteps(seats: readonly Seat[]): Point[] {
  const steps: Point[] = []
  const every = Math.ceil(seats.length / SAMPLE)
  const byRow = Map.groupBy(seats, ({ row }) => row)
  for (let i = 0; i < seats.length; i += every) {
    const seat = seats[i] as Seat
    let nearest: Point | undefined
    let shortest = Infinity
    for (const other of byRow.get(seat.row) ?? []) {
      const away = distance(other, seat)
      if (away === 0 || away >= shortest) continue
      shortest = away
      nearest = { x: other.x - seat.x, y: other.y - seat.y }
    }
    if (nearest) steps.push(nearest)
  }
  return steps
}

/**
 * The ways along the rows, from seat to seat. Where the seats of a row are not listed in order, as round a table, the ways
 * to the nearest seats. Those alone would lean: of rounded positions they take the shorter ways.
 */
export function stepsAlong(seats: readonly Seat[], rows: readonly SeatRow[], pitch: number): Point[] {
  const steps: Point[] = []
  for (const { seats: row } of rows) {
    for (let i = 1; i < row.length; i++) {
      const [from, to] = [seats[row[i - 1] as number] as Seat, seats[row[i] as number] as Seat]
      const away = distance(from, to)
      if (away > 0 && away < AISLE * pitch) steps.push({ x: to.x - from.x, y: to.y - from.y })
    }
  }
  return steps.length >= seats.length / 2 ? steps : nearestSteps(seats)
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}

/** The rows of a section in its seats' order. */
export function rowsOf(seats: readonly Seat[]): SeatRow[] {
  const rows = new Map<string | number, { label: string; name: string | null; seats: number[] }>()
  for (const [i, seat] of seats.entries()) {
    const key = seat.rowIndex ?? seat.row
    const row = rows.get(key)
    if (row) row.seats.push(i)
    else rows.set(key, { label: seat.row, name: seat.rowLabel ?? null, seats: [i] })
  }
  return [...rows.values()]
}

/** The runs of a section: as the plan sells them, else each row cut at its aisles. */
export function runsOf(seats: readonly Seat[], rows: readonly SeatRow[], pitch: number): Run[] {
  if (seats.every(({ run, runPosition }) => run != null && runPosition != null)) return soldRuns(seats)
  return rows.flatMap((row) => {
    const gap = (i: number, before: number) => distance(seats[i] as Seat, seats[before] as Seat)
    const usual = median(row.seats.slice(1).map((i, n) => gap(i, row.seats[n] as number)))
    // A row of two or three seats may be cut by an aisle, so its own gaps say little.
    const most = AISLE * (row.seats.length > 3 ? Math.max(usual, pitch) : pitch)
    return cut(row.seats, (i, before) => gap(i, before) < most)
  })
}

function soldRuns(seats: readonly Seat[]): Run[] {
  const position = (i: number) => seats[i]?.runPosition ?? 0
  const runs = Map.groupBy(seats.keys(), (i) => seats[i]?.run)
  return [...runs.values()].flatMap((run) =>
    cut(
      run.sort((a, b) => position(a) - position(b)),
      (i, before) => position(i) - position(before) === 1,
    ),
  )
}

/** Cuts a row between seats that are not side by side. */
function cut(row: readonly number[], joins: (seat: number, before: number) => boolean): number[][] {
  const runs: number[][] = []
  for (const [n, i] of row.entries()) {
    const run = runs.at(-1)
    if (n > 0 && run && joins(i, row[n - 1] as number)) run.push(i)
    else runs.push([i])
  }
  return runs
}

export function distance(a: Point, b: Point): number {
  return Math.hypot(a.x - b.x, a.y - b.y)
}

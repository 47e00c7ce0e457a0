import { distance, median, turn } from './planGeometry.ts'
import type { PlanSeat } from './seatingPlan.ts'
import { indexSeats, type LabelledSeats, linkNeighbours } from './seatLinks.ts'

/** A row as it is sold. */
export interface Row {
  /** Indexes of its seats within the section, along the row. */
  readonly seats: readonly number[]
  /** Each seat's number along the row, from 1. Seats are side by side where these differ by one: an aisle skips one. */
  readonly positions: readonly number[]
  /** The last seat is beside the first. */
  readonly isRing: boolean
}

/** A section whose rows are known. */
export interface LocatedSection {
  readonly seats: readonly PlanSeat[]
  readonly rows: readonly Row[]
}

/** Seats from one aisle to the next. */
interface Piece {
  readonly seats: readonly number[]
  readonly isRing: boolean
}

/** Pitches: a wider gap separates two rows. */
const WIDEST_AISLE = 8
/** The same for two single seats, which show no direction. */
const WIDEST_AISLE_OF_SINGLES = 3
/** Degrees by which a row may bend at each side of an aisle, and by which the two sides may differ. */
const AISLE_BEND = 35
const AISLE_OFFSET = 25
/** Of one label. More are no row, and every pair of their ends would be compared. */
const MOST_PIECES = 400

/**
 * Returns the rows of a section. Neighbours follow from the distances along each row of the plan, however it bends.
 * Rows of the plan with one label, and their pieces between aisles, are one row where they continue each other along
 * one line. Rows without a label stay as the plan lists them. Seats at one point follow their numbers.
 */
export function rowsOf(seats: readonly PlanSeat[]): Row[] {
  const labels = [
    ...Map.groupBy(seats.keys(), (i) => {
      const { row, planRow } = seats[i] as PlanSeat
      return row === '' ? planRow : row
    }).values(),
  ].map((indexes) => ({ indexes, labelled: indexSeats(indexes.map((i) => seats[i] as PlanSeat)) }))
  const pitch = median(labels.flatMap(({ labelled }) => labelled.nearest.filter(Number.isFinite)))
  return labels.flatMap(({ indexes, labelled }) => {
    const rows =
      labelled.points.length === 1 && labelled.seats.length > 1
        ? [byNumber(labelled.seats)]
        : joinPieces(labelled, piecesOf(labelled, pitch), pitch)
    return rows.map((row) => ({ ...row, seats: row.seats.map((i) => indexes[i] as number) }))
  })
}

function piecesOf(labelled: LabelledSeats, pitch: number): Piece[] {
  const links = linkNeighbours(labelled, pitch)
  const pieces: Piece[] = []
  const seen = new Set<number>()
  const walk = (first: number) => {
    const seats: number[] = []
    for (let seat: number | undefined = first; seat !== undefined && !seen.has(seat); ) {
      seen.add(seat)
      seats.push(seat)
      seat = links[seat]?.find((next) => !seen.has(next))
    }
    return seats
  }
  for (const [i, { length }] of links.entries())
    if (length < 2 && !seen.has(i)) pieces.push({ seats: walk(i), isRing: false })
  for (const i of links.keys()) if (!seen.has(i)) pieces.push({ seats: walk(i), isRing: true })
  return pieces
}

/** An end of a piece: its last seat, and the seat before it. */
interface End {
  readonly piece: number
  readonly seat: number
  readonly before: number | undefined
}

/** Joins the pieces that continue each other, the nearest first, and numbers the seats of each row. */
function joinPieces({ seats }: LabelledSeats, pieces: readonly Piece[], pitch: number): Row[] {
  const open = pieces.flatMap(({ seats: own, isRing }, piece): End[] =>
    isRing
      ? []
      : [
          { piece, seat: own[0] as number, before: own[1] },
          { piece, seat: own.at(-1) as number, before: own.at(-2) },
        ],
  )
  const joints: { a: End; b: End; gap: number }[] = []
  if (pieces.length <= MOST_PIECES)
    for (const [i, a] of open.entries())
      for (const b of open.slice(i + 1)) {
        if (a.piece === b.piece) continue
        const gap = distance(seats[a.seat] as PlanSeat, seats[b.seat] as PlanSeat)
        if (gap <= WIDEST_AISLE * pitch && continues(seats, a, b, gap, pitch)) joints.push({ a, b, gap })
      }
  joints.sort((x, y) => x.gap - y.gap)

  const next = new Map<End, End>()
  const rowOf = pieces.map((_, i) => i)
  for (const { a, b } of joints) {
    const [from, to] = [rowOf[a.piece] as number, rowOf[b.piece] as number]
    if (from === to || next.has(a) || next.has(b)) continue
    next.set(a, b)
    next.set(b, a)
    for (const [i, row] of rowOf.entries()) if (row === to) rowOf[i] = from
  }
  return [...Map.groupBy(pieces.keys(), (i) => rowOf[i] as number).values()].map((own) =>
    numberRow(seats, inOrder(pieces, own, open, next)),
  )
}

/** Whether two ends of pieces are the two sides of an aisle of one row, straight or curved. */
function continues(seats: readonly PlanSeat[], a: End, b: End, gap: number, pitch: number): boolean {
  const at = (i: number) => seats[i] as PlanSeat
  const turnAt = ({ seat, before }: End, to: End) =>
    before === undefined ? null : turn(at(before), at(seat), at(to.seat))
  // A single seat has two ends, and needs one.
  const [turnA, turnB] = [turnAt(a, b), turnAt(b, a)]
  if (turnA === null && turnB === null)
    return at(a.seat).planRow === at(b.seat).planRow || gap <= WIDEST_AISLE_OF_SINGLES * pitch
  if (Math.abs(turnA ?? 0) > AISLE_BEND || Math.abs(turnB ?? 0) > AISLE_BEND) return false
  // Along a curve the two turn alike, seen along the row; beside each other they turn against each other.
  return turnA === null || turnB === null || Math.abs(turnA + turnB) <= AISLE_OFFSET
}

/** The pieces of a row from one end to the other, each with its seats in that direction. */
function inOrder(
  pieces: readonly Piece[],
  own: readonly number[],
  open: readonly End[],
  next: ReadonlyMap<End, End>,
): readonly Piece[] {
  const [only] = own
  if (own.length === 1) return [pieces[only as number] as Piece]
  const ends = Map.groupBy(
    open.filter(({ piece }) => own.includes(piece)),
    ({ piece }) => piece,
  )
  const otherEnd = (end: End) => ends.get(end.piece)?.find((other) => other !== end) as End
  let end = [...ends.values()].flat().find((candidate) => !next.has(candidate))
  const ordered: Piece[] = []
  while (end) {
    const { seats, isRing } = pieces[end.piece] as Piece
    // The seat alone does not show the end: a single seat is both.
    const isForwards = ends.get(end.piece)?.[0] === end
    ordered.push({ seats: isForwards ? seats : seats.toReversed(), isRing })
    end = next.get(otherEnd(end))
  }
  return ordered
}

/** Numbers a row from left to right, or from top to bottom. */
function numberRow(seats: readonly PlanSeat[], pieces: readonly Piece[]): Row {
  const first = seats[pieces[0]?.seats[0] as number] as PlanSeat
  const last = seats[pieces.at(-1)?.seats.at(-1) as number] as PlanSeat
  const isRing = pieces[0]?.isRing === true
  const isReversed = !isRing && (first.x > last.x || (first.x === last.x && first.y > last.y))
  const ordered = isReversed
    ? pieces.toReversed().map(({ seats }) => ({ seats: seats.toReversed() }))
    : pieces
  let position = 0
  const positions = ordered.flatMap(({ seats: own }, i) => {
    if (i > 0) position++
    return own.map(() => ++position)
  })
  return { seats: ordered.flatMap(({ seats: own }) => own), positions, isRing }
}

/** A row whose seats are all at one point: a gap in their numbers is an aisle. */
function byNumber(seats: readonly PlanSeat[]): Row {
  let position = 1
  const positions = seats.map(({ number }, i) => {
    if (i > 0) position += skipsNumber((seats[i - 1] as PlanSeat).number, number) ? 2 : 1
    return position
  })
  return { seats: [...seats.keys()], positions, isRing: false }
}

function skipsNumber(a: string, b: string): boolean {
  const step = Math.abs(Number(a) - Number(b))
  return Number.isFinite(step) && step > 1
}

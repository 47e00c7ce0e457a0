import type { Point, PriceLevel, Seat } from '../../../../sdk/index.ts'
import { type Box, boxOf } from './box.ts'
import { pitchOf, type Run, rowsOf, runsOf, type SeatRow } from './seatRows.ts'
import { middleOf, rotate, straightAngle } from './straighten.ts'

/** A section ready to draw: its seats are turned so that the rows lie level. */
export interface SectionPlan {
  /** As the API has them, in index order. */
  readonly seats: readonly Seat[]
  /** Where to draw each seat. */
  readonly at: readonly Point[]
  /** The turn in radians that leads from the plan to the drawing. */
  readonly angle: number
  readonly pitch: number
  readonly box: Box
  readonly rows: readonly SeatRow[]
  readonly runs: readonly Run[]
  /** Index into the section's price levels, by seat. */
  readonly levels: Uint8Array
  /** The direction of the stage in the drawing, in radians clockwise from straight up; null where it is unknown. */
  readonly stage: number | null
}

/** The margin round the seats, in distances between neighbours. */
const MARGIN = 0.6

/** `focus`: the middle of the stage, in plan units. */
export function sectionPlan(
  seats: readonly Seat[],
  priceLevels: readonly PriceLevel[],
  focus: Point | null,
): SectionPlan {
  const pitch = pitchOf(seats)
  const rows = rowsOf(seats)
  const runs = runsOf(seats, rows, pitch)
  const angle = straightAngle(seats, rows, pitch, focus)
  const at = seats.map((seat) => rotate(seat, angle))
  const levelIndex = new Map(priceLevels.map(({ id }, i) => [id, i]))
  return {
    seats,
    at,
    angle,
    pitch,
    box: boxOf(at, pitch * MARGIN),
    rows,
    runs,
    levels: Uint8Array.from(seats, ({ priceLevelId }) => levelIndex.get(priceLevelId) ?? 0),
    stage: focus && directionTo(rotate(focus, angle), middleOf(at)),
  }
}

function directionTo(to: Point, from: Point): number {
  return Math.atan2(to.x - from.x, from.y - to.y)
}

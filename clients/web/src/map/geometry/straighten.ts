import type { Point, Seat } from '../../../../sdk/index.ts'
import { type SeatRow, stepsAlong } from './seatRows.ts'

/** The directions of the rows must agree at least this much (1: all the same) for the section to be turned by them. */
const AGREEMENT = 0.6
/** A smaller turn is no use: the rows look straight already. */
const SMALLEST_TURN = Math.PI / 180

/**
 * Returns the angle in radians by which a section is turned, so that its rows lie level and the stage is above them.
 * `focus`: the middle of the stage. Without one the smaller turn decides; of two
 * equal turns, the one that has the first seat on the left. Rows in all directions, as round a horseshoe or
 * at tables, turn as little as possible, or not at all.
 */
export function straightAngle(
  seats: readonly Seat[],
  rows: readonly SeatRow[],
  pitch: number,
  focus: Point | null,
): number {
  const steps = stepsAlong(seats, rows, pitch)
  const level = direction(steps, 2)
  if (level.agreement < AGREEMENT) {
    const square = direction(steps, 4)
    return square.agreement < AGREEMENT ? 0 : settled(-square.angle)
  }
  const turn = -level.angle
  if (!focus) return settled(isUpright(turn) && runsLeft(steps, turn) ? turn + Math.PI : turn)
  const isBelow = rotate(focus, turn).y > rotate(middleOf(seats), turn).y
  return settled(isBelow ? turn + Math.PI : turn)
}

/** True for a turn by about a quarter, where neither direction is the smaller turn. */
function isUpright(turn: number): boolean {
  return Math.abs(Math.abs(turn) - Math.PI / 2) < 0.1
}

function runsLeft(steps: readonly Point[], turn: number): boolean {
  return steps.reduce((sum, step) => sum + rotate(step, turn).x, 0) < 0
}

/** Turns a point about the origin. */
export function rotate({ x, y }: Point, angle: number): Point {
  if (angle === 0) return { x, y }
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)]
  return { x: x * cos - y * sin, y: x * sin + y * cos }
}

export function middleOf(points: readonly Point[]): Point {
  const sum = points.reduce((all, { x, y }) => ({ x: all.x + x, y: all.y + y }), { x: 0, y: 0 })
  return { x: sum.x / (points.length || 1), y: sum.y / (points.length || 1) }
}

/** Brings an angle into -π … π. */
function settled(angle: number): number {
  const turned = Math.atan2(Math.sin(angle), Math.cos(angle))
  return Math.abs(turned) < SMALLEST_TURN ? 0 : turned
}

/**
 * The mean direction of the steps, where directions that differ by a full turn divided by `folds` count as one. The
 * angle is between -π/folds and π/folds.
 */
function direction(steps: readonly Point[], folds: number): { angle: number; agreement: number } {
  let [x, y] = [0, 0]
  for (const step of steps) {
    const angle = Math.atan2(step.y, step.x) * folds
    x += Math.cos(angle)
    y += Math.sin(angle)
  }
  return { angle: Math.atan2(y, x) / folds, agreement: Math.hypot(x, y) / (steps.length || 1) }
}

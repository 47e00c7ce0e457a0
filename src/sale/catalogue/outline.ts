import concaveman from 'concaveman'
import type { LayoutSeat } from '../../sql/plans.ts'

type Point = readonly [number, number]

/** A row contributes its ends and every fourth seat: enough for a curve, and the hull takes a fifth of the time. */
const EVERY = 4
/** A corner that lies nearer than this to the line past it is left out, in distances between neighbours. */
const TOLERANCE = 0.35
/** The hull follows no gap that is narrower than this, in distances between neighbours. */
const NARROWEST_GAP = 4

/**
 * Returns the outline of a section's seats, in plan units: a polygon through the centres of the outer seats. Seats on one
 * line have the two ends of that line, one seat has one point, and a section without seats has none.
 */
export function outlineOf(seats: readonly LayoutSeat[]): { x: number; y: number }[] {
  const pitch = pitchOf(seats)
  const points = rowPoints(seats)
  if (points.length < 3) return toPoints(points)
  const hull = concaveman(
    points.map(([x, y]) => [x, y]),
    2,
    pitch * NARROWEST_GAP,
  ) as unknown as Point[]
  // The first corner closes the hull, so it is also the last.
  return toPoints(simplify(hull.slice(0, -1), pitch * TOLERANCE))
}

function toPoints(points: readonly Point[]) {
  return points.map(([x, y]) => ({ x: round(x), y: round(y) }))
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}

function rowPoints(seats: readonly LayoutSeat[]): Point[] {
  const points: Point[] = []
  let place = 0
  for (const [i, { row, x, y }] of seats.entries()) {
    place = seats[i - 1]?.row === row ? place + 1 : 0
    if (place % EVERY === 0 || seats[i + 1]?.row !== row) points.push([x, y])
  }
  return points
}

function pitchOf(seats: readonly LayoutSeat[]): number {
  const gaps: number[] = []
  for (const [i, { row, x, y }] of seats.entries()) {
    const next = seats[i + 1]
    if (next?.row === row) gaps.push(Math.hypot(next.x - x, next.y - y))
  }
  return gaps.sort((a, b) => a - b)[gaps.length >> 1] || 25
}

/** Leaves out corners that hardly change a closed line: Douglas and Peucker, from the two corners farthest apart. */
function simplify(closed: readonly Point[], tolerance: number): Point[] {
  const first = closed[0]
  if (!first) return []
  let far = 0
  for (const [i, point] of closed.entries()) {
    if (distance(point, first) > distance(closed[far] as Point, first)) far = i
  }
  const there = simplifyOpen(closed.slice(0, far + 1), tolerance)
  const back = simplifyOpen([...closed.slice(far), first], tolerance)
  return [...there.slice(0, -1), ...back.slice(0, -1)]
}

function simplifyOpen(line: readonly Point[], tolerance: number): Point[] {
  const [start, end] = [line[0], line.at(-1)]
  if (!start || !end || line.length < 3) return [...line]
  let at = 0
  let farthest = tolerance
  for (let i = 1; i < line.length - 1; i++) {
    const away = toSegment(line[i] as Point, start, end)
    if (away > farthest) {
      farthest = away
      at = i
    }
  }
  if (at === 0) return [start, end]
  return [
    ...simplifyOpen(line.slice(0, at + 1), tolerance).slice(0, -1),
    ...simplifyOpen(line.slice(at), tolerance),
  ]
}

function toSegment(point: Point, start: Point, end: Point): number {
  const [dx, dy] = [end[0] - start[0], end[1] - start[1]]
  const length = dx * dx + dy * dy
  const along = length
    ? Math.max(0, Math.min(1, ((point[0] - start[0]) * dx + (point[1] - start[1]) * dy) / length))
    : 0
  return distance(point, [start[0] + along * dx, start[1] + along * dy])
}

function distance(a: Point, b: Point): number {
  return Math.hypot(a[0] - b[0], a[1] - b[1])
}

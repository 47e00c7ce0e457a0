import type { Seat } from '../../../sdk/index.ts'

type At = Pick<Seat, 'x' | 'y'>

/** The usual distance of neighbours, in plan units: what a seat's size is drawn from. */
export function pitchOf(seats: readonly Seat[]): number {
  const gaps: number[] = []
  for (const [i, seat] of seats.entries()) {
    const next = seats[i + 1]
    if (next && next.row === seat.row) gaps.push(Math.hypot(next.x - seat.x, next.y - seat.y))
  }
  gaps.sort((a, b) => a - b)
  return gaps[Math.floor(gaps.length / 2)] || 25
}

/** The box around all seats with `margin` on every side. */
export function boxOf(seats: readonly At[], margin: number) {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity]
  for (const { x, y } of seats) {
    left = Math.min(left, x)
    right = Math.max(right, x)
    top = Math.min(top, y)
    bottom = Math.max(bottom, y)
  }
  return {
    x: left - margin,
    y: top - margin,
    width: right - left + 2 * margin,
    height: bottom - top + 2 * margin,
  }
}

const DIRECTIONS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
}

/**
 * Where a key leads from a seat: the nearest seat in the arrow's quarter of the plan, whatever way the
 * rows run; Home and End go to the ends of the row. The same seat where there is none.
 */
export function neighbour(seats: readonly Seat[], from: number, key: string): number {
  const seat = seats[from]
  if (!seat) return from
  if (key === 'Home' || key === 'End') {
    const row = seats.filter((other) => other.row === seat.row)
    return (key === 'Home' ? row[0] : row.at(-1))?.index ?? from
  }
  const direction = DIRECTIONS[key]
  if (!direction) return from
  const [dx, dy] = direction
  let best = from
  let shortest = Infinity
  for (const [index, { x, y }] of seats.entries()) {
    const along = (x - seat.x) * dx + (y - seat.y) * dy
    const aside = Math.abs((x - seat.x) * dy) + Math.abs((y - seat.y) * dx)
    // A seat aside counts as farther than one straight on, so that an arrow keeps to its row or column.
    const length = along + 2 * aside
    if (along > 0 && aside <= along && length < shortest) {
      best = index
      shortest = length
    }
  }
  return best
}

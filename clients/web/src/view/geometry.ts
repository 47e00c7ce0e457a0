import type { Seat } from '../../../sdk/index.ts'

type At = Pick<Seat, 'x' | 'y'>

/** The usual distance between neighbours, in plan units. It sets the size of a drawn seat. */
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
 * Returns the index of the seat that a key leads to. An arrow along the row leads to the next seat in it, also across an
 * aisle. An arrow across rows leads to the nearest seat in that direction. Home and End lead to the ends of the row.
 * Returns `from` if there is no such seat.
 */
export function neighbour(seats: readonly Seat[], from: number, key: string): number {
  const seat = seats[from]
  if (!seat) return from
  const row = seats.filter((other) => other.row === seat.row)
  if (key === 'Home' || key === 'End') return (key === 'Home' ? row[0] : row.at(-1))?.index ?? from
  const direction = DIRECTIONS[key]
  if (!direction) return from
  const way = (to: At, start: At) => {
    const [x, y] = [to.x - start.x, to.y - start.y]
    return {
      along: x * direction[0] + y * direction[1],
      aside: Math.abs(x * direction[1]) + Math.abs(y * direction[0]),
    }
  }
  const run = way(row.at(-1) ?? seat, row[0] ?? seat)
  const runsAlong = row.length > 1 && Math.abs(run.along) >= run.aside
  let best = from
  let shortest = Infinity
  for (const other of runsAlong ? row : seats) {
    const { along, aside } = way(other, seat)
    // A sideways offset counts double, so that an arrow keeps to its column.
    const length = along + 2 * aside
    if (along > 0 && aside <= along && length < shortest) {
      best = other.index
      shortest = length
    }
  }
  return best
}

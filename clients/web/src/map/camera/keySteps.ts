import type { Point } from '../../../../sdk/index.ts'
import type { SectionPlan } from '../geometry/sectionPlan.ts'

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
export function keyStep(
  { seats, at, rows }: Pick<SectionPlan, 'seats' | 'at' | 'rows'>,
  from: number,
  key: string,
) {
  const start = at[from]
  const row = rows.find(({ seats }) => seats.includes(from))?.seats
  if (!start || !row) return from
  if (key === 'Home' || key === 'End') return (key === 'Home' ? row[0] : row.at(-1)) ?? from
  const direction = DIRECTIONS[key]
  if (!direction) return from
  const way = (to: Point, start: Point) => {
    const [x, y] = [to.x - start.x, to.y - start.y]
    return {
      along: x * direction[0] + y * direction[1],
      aside: Math.abs(x * direction[1]) + Math.abs(y * direction[0]),
    }
  }
  const [first, last] = [at[row[0] ?? from] ?? start, at[row.at(-1) ?? from] ?? start]
  const run = way(last, first)
  const runsAlong = row.length > 1 && Math.abs(run.along) >= run.aside
  let best = from
  let shortest = Infinity
  for (const other of runsAlong ? row : seats.keys()) {
    const { along, aside } = way(at[other] as Point, start)
    // A sideways offset counts double, so that an arrow keeps to its column.
    const length = along + 2 * aside
    if (along > 0 && aside <= along && length < shortest) {
      best = other
      shortest = length
    }
  }
  return best
}

/**
 * Returns the place in a list of `length` seats that a key leads to; null where the key does not move. An arrow leads to the
 * neighbour on its side, so it follows the direction of the page.
 */
export function stepInRow(
  key: string,
  from: number,
  length: number,
  direction: 'ltr' | 'rtl',
): number | null {
  const forward = direction === 'rtl' ? 'ArrowLeft' : 'ArrowRight'
  const back = direction === 'rtl' ? 'ArrowRight' : 'ArrowLeft'
  const steps: Readonly<Record<string, number>> = {
    [forward]: from + 1,
    [back]: from - 1,
    ArrowDown: from + 1,
    ArrowUp: from - 1,
    Home: 0,
    End: length - 1,
  }
  const to = steps[key]
  return to === undefined ? null : Math.min(length - 1, Math.max(0, to))
}

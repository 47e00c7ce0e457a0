import type { Point } from '../../../../sdk/index.ts'
import type { SectionPlan } from '../geometry/sectionPlan.ts'

/**
 * Finds the seat nearest to a point of the drawing, in constant time. `reach`: how far it may be, in distances between
 * neighbours, at most 1.
 */
export type SeatPick = (point: Point, reach?: number) => number | null

/** A point within half the distance to the neighbour is on the seat. */
const REACH = 0.55

export function createSeatPick({ at, pitch }: Pick<SectionPlan, 'at' | 'pitch'>): SeatPick {
  const cells = new Map<string, number[]>()
  const cell = (value: number) => Math.floor(value / pitch)
  for (const [i, { x, y }] of at.entries()) {
    const key = `${cell(x)} ${cell(y)}`
    const seats = cells.get(key)
    if (seats) seats.push(i)
    else cells.set(key, [i])
  }
  return (point, reach = REACH) => {
    let best: number | null = null
    let nearest = pitch * reach
    for (let x = cell(point.x) - 1; x <= cell(point.x) + 1; x++) {
      for (let y = cell(point.y) - 1; y <= cell(point.y) + 1; y++) {
        for (const i of cells.get(`${x} ${y}`) ?? []) {
          const seat = at[i] as Point
          const away = Math.hypot(seat.x - point.x, seat.y - point.y)
          if (away >= nearest) continue
          nearest = away
          best = i
        }
      }
    }
    return best
  }
}

import type { Point } from '../../../../sdk/index.ts'
import type { Box } from './box.ts'

/** Answers whether a rectangle of the plan has a seat in it. */
export interface SeatGrid {
  hasSeat(box: Box): boolean
}

const CELL = 50

/** `radius`: of a seat, in plan units. */
export function createSeatGrid(seats: readonly Point[], radius: number): SeatGrid {
  const cells = Map.groupBy(seats, ({ x, y }) => `${Math.floor(x / CELL)} ${Math.floor(y / CELL)}`)
  return {
    hasSeat(box) {
      const [left, top] = [box.x - radius, box.y - radius]
      const [right, bottom] = [box.x + box.width + radius, box.y + box.height + radius]
      for (let x = Math.floor(left / CELL); x <= Math.floor(right / CELL); x++) {
        for (let y = Math.floor(top / CELL); y <= Math.floor(bottom / CELL); y++) {
          const found = cells
            .get(`${x} ${y}`)
            ?.some((seat) => seat.x > left && seat.x < right && seat.y > top && seat.y < bottom)
          if (found) return true
        }
      }
      return false
    },
  }
}

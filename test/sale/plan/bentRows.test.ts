import { expect, test } from 'vitest'
import { locateSeats, type SeatPosition } from '../../../src/sale/plan/locateSeats.ts'
import { type BentSeat, bentHall, neighboursByDistance } from '../../support/bentHalls.ts'
import { LONG } from '../../support/long.ts'
import { areNeighbours, planOfSeats } from '../../support/plans.ts'
import { seededRandom } from '../../support/random.ts'

const HALLS = LONG ? 3_000 : 150

test(`in ${HALLS} halls of bent, closed, split and merged rows the neighbours are the seats in reach`, () => {
  const random = seededRandom()
  let rings = 0
  for (let hall = 0; hall < HALLS; hall++) {
    const seats = bentHall(random, 6)
    const positions = locateSeats(planOfSeats(seats)).positions[0] as SeatPosition[]
    const at = (i: number) => positions[i] as SeatPosition
    const found = positions.map((one, i) =>
      [...positions.keys()].filter((j) => j !== i && areNeighbours(one, at(j))),
    )
    expect(found, `hall ${hall}`).toEqual(neighboursByDistance(seats))
    // A row is one row, across its aisles, and no other row is part of it.
    const rows = Map.groupBy(seats.keys(), (i) => (seats[i] as BentSeat).madeIn)
    for (const own of rows.values()) expect(new Set(own.map((i) => at(i).rowNo)).size, `hall ${hall}`).toBe(1)
    expect(new Set(positions.map(({ rowNo }) => rowNo)).size).toBe(rows.size)
    rings += positions.filter(({ ringSize }) => ringSize !== null).length
  }
  expect(rings).toBeGreaterThan(HALLS)
})

import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Room } from '../../../src/sale/room/room.ts'
import type { SaleView } from '../../../src/sale/saleView.ts'
import { lastPlaceWithin, outlookOf } from '../../../src/sale/waitingRoom/position.ts'

const rooms = fc.record({
  admittedUpTo: fc.integer({ min: 0, max: 50_000 }),
  called: fc.integer({ min: 0, max: 3_000 }),
  worked: fc.integer({ min: 0, max: 600 }),
  rate: fc.double({ min: 0, max: 100, noNaN: true }),
  seatsPerPlace: fc.double({ min: 0.1, max: 8, noNaN: true }),
  unpaidShare: fc.double({ min: 0, max: 1, noNaN: true }),
  paused: fc.boolean(),
  available: fc.integer({ min: 0, max: 50_000 }),
  held: fc.integer({ min: 0, max: 5_000 }),
})

test('the last place with an estimate of five minutes has one, and the places after it have none', () => {
  fc.assert(
    fc.property(rooms, ({ called, available, held, ...given }) => {
      const room = { ...given, admittedBefore: given.admittedUpTo - called } as unknown as Room
      const sale = { paused: false, counts: { available, held } } as unknown as SaleView
      const isSoon = (place: number) => {
        const { outlook, estimatedWaitSeconds } = outlookOf(sale, room, place)
        return outlook === 'ESTIMATED' && (estimatedWaitSeconds as number) <= 300
      }
      const last = lastPlaceWithin(sale, room, 300)
      expect(last).toBeGreaterThanOrEqual(room.admittedUpTo)
      if (last > room.admittedUpTo) expect(isSoon(last)).toBe(true)
      // A rounded product may lose one place.
      expect(isSoon(last + 2)).toBe(false)
    }),
    { numRuns: 2_000 },
  )
})

import { expect, test } from 'vitest'
import type { QueuePosition } from '../../../clients/sdk/index.ts'
import { isSoon, passedMilestone } from '../../../clients/web/src/model/milestones.ts'
import { goneBetween, priceCounts } from '../../../clients/web/src/model/priceCounts.ts'
import { createSteadyWait } from '../../../clients/web/src/view/steadyWait.ts'

const at = (position: number | null) => ({ position })

test('a screen reader hears milestones of the place, and not every number', () => {
  expect(passedMilestone(at(1_200), at(1_100))).toBe(false)
  expect(passedMilestone(at(1_100), at(1_000))).toBe(true)
  expect(passedMilestone(at(1_100), at(700))).toBe(true)
  expect(passedMilestone(at(1_000), at(999))).toBe(false)
  expect(passedMilestone(at(2), at(1))).toBe(true)
  expect(passedMilestone(at(null), at(1))).toBe(false)
})

test('about five minutes are soon, for a place that waits', () => {
  const soon = (state: string, estimatedWaitSeconds: number | null) =>
    isSoon({ state, estimatedWaitSeconds } as QueuePosition)
  expect(soon('WAITING', 250)).toBe(true)
  expect(soon('WAITING', 310)).toBe(false)
  expect(soon('WAITING', null)).toBe(false)
  expect(soon('ADMITTED', 0)).toBe(false)
})

test('the estimate of a slow line stays as it is while its measured rate jumps, and follows a real change', () => {
  const steady = createSteadyWait()
  const seen = (second: number, estimatedWaitSeconds: number | null) =>
    steady({
      asOf: new Date(1_000 * second).toISOString(),
      outlook: estimatedWaitSeconds === null ? 'RATE_UNKNOWN' : 'ESTIMATED',
      estimatedWaitSeconds,
    } as QueuePosition)
  // 40 places at 0.1 a second, of which a minute's measurement sees 5 to 7.
  expect(seen(0, 400)).toEqual({ outlook: 'ESTIMATED', seconds: 400 })
  expect(seen(10, 468)).toEqual({ outlook: 'ESTIMATED', seconds: 390 })
  expect(seen(20, 326)).toEqual({ outlook: 'ESTIMATED', seconds: 380 })
  expect(seen(30, null)).toEqual({ outlook: 'ESTIMATED', seconds: 370 })
  // The rate was halved.
  expect(seen(40, 700)).toEqual({ outlook: 'ESTIMATED', seconds: 700 })
  expect(seen(70, null)).toEqual({ outlook: 'ESTIMATED', seconds: 670 })
  expect(seen(140, null)).toEqual({ outlook: 'RATE_UNKNOWN', seconds: null })
})

const level = (id: string, amount: number, onSale = true) => ({
  id,
  name: id,
  onSale,
  total: { amount, currency: 'EUR' },
})
const event = {
  sections: [
    { priceLevels: [level('cheap', 4_550), level('dear', 12_800)] },
    { priceLevels: [level('dear', 12_800)] },
  ],
} as never
const sale = (cheap: number | null, dear: number | null, held = 0) =>
  ({
    prices: [
      { priceLevelId: 'cheap', available: cheap, held },
      { priceLevelId: 'dear', available: dear, held: 0 },
    ],
  }) as never

test('what is left is listed by price, the dearest first', () => {
  expect(priceCounts(event, sale(3, 0, 2)).map((c) => [c.level.id, c.available, c.held])).toEqual([
    ['dear', 0, 0],
    ['cheap', 3, 2],
  ])
})

test('a category without a price is not listed as a price of nothing', () => {
  const closed = { sections: [{ priceLevels: [level('closed', 0, false), level('cheap', 4_550)] }] } as never
  expect(priceCounts(closed, sale(3, 0)).map(({ level }) => level.id)).toEqual(['cheap'])
})

test('a price is gone at the moment its last free seat goes, and not where it was unknown', () => {
  const gone = (before: never, next: never) => goneBetween(event, before, next).map((c) => c.level.id)
  expect(gone(sale(1, 5), sale(0, 5))).toEqual(['cheap'])
  expect(gone(sale(0, 5), sale(0, 5))).toEqual([])
  expect(gone(sale(null, 5), sale(0, 5))).toEqual([])
  expect(gone(sale(1, 5), sale(null, 5))).toEqual([])
})

import { expect, test } from 'vitest'
import { isSoonNow, passedMilestone } from '../../../clients/web/src/model/milestones.ts'
import { goneBetween, priceCounts } from '../../../clients/web/src/model/priceCounts.ts'

const at = (position: number | null, estimatedWaitSeconds: number | null = null) => ({
  position,
  estimatedWaitSeconds,
})

test('a screen reader hears milestones of the place, and not every number', () => {
  expect(passedMilestone(at(1_200), at(1_100))).toBe(false)
  expect(passedMilestone(at(1_100), at(1_000))).toBe(true)
  expect(passedMilestone(at(1_100), at(700))).toBe(true)
  expect(passedMilestone(at(1_000), at(999))).toBe(false)
  expect(passedMilestone(at(2), at(1))).toBe(true)
  expect(passedMilestone(at(null), at(1))).toBe(false)
})

test('five minutes are announced once, also to a fan who joins within them', () => {
  expect(isSoonNow(null, at(40, 250))).toBe(true)
  expect(isSoonNow(at(90, 310), at(80, 299))).toBe(true)
  expect(isSoonNow(at(80, 299), at(70, 250))).toBe(false)
  expect(isSoonNow(at(80, 310), at(70, null))).toBe(false)
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

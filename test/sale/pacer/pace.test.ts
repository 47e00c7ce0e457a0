import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  allowanceOf,
  callUpTo,
  type PaceFigures,
  paceStep,
  seatsPerPlace,
  shareThatComes,
  shareUnpaid,
  ticketsPerOrder,
} from '../../../src/sale/pacer/pace.ts'

const atTheOpening: PaceFigures = {
  available: 1_231,
  orders: 0,
  tickets: 0,
  searching: 0,
  calledLately: 0,
  cameLately: 0,
  called: 0,
  came: 0,
  waiting: 10_000,
  allowance: 30,
  shoppersPerOrder: 1,
}

test.each<[string, Partial<PaceFigures>, number]>([
  ['the rate is the ceiling', {}, 30],
  ['nobody but those waiting', { waiting: 7 }, 7],
  ['1,231 seats are 493 orders of 2.5', { allowance: 1_000 }, 493],
  ['those searching are counted', { allowance: 1_000, searching: 400 }, 93],
  ['those under way are counted', { allowance: 1_000, searching: 400, calledLately: 50 }, 43],
  [
    'by the share that comes, once there is one',
    { allowance: 1_000, calledLately: 50, called: 290, came: 110 },
    471,
  ],
  [
    'less those who have come of them',
    { allowance: 1_000, calledLately: 100, cameLately: 38, called: 290, came: 110 },
    486,
  ],
  ['more searching than orders to be had: nobody', { searching: 500 }, 0],
  ['two shoppers an order', { allowance: 1_000, shoppersPerOrder: 2 }, 986],
  ['99 orders measure nothing yet', { allowance: 1_000, orders: 99, tickets: 396, available: 100 }, 40],
  ['100 orders of 4 tickets', { allowance: 1_000, orders: 100, tickets: 400, available: 100 }, 25],
  ['everything is held: nobody', { available: 0 }, 0],
  ['one last seat calls one', { available: 1 }, 1],
  ['one last seat, and one searching for it: nobody', { available: 1, searching: 1 }, 0],
  ['one last seat at half a shopper an order calls one', { available: 1, shoppersPerOrder: 0.5 }, 1],
  [
    'one last seat, and a no-show under way: one more',
    { available: 1, calledLately: 1, called: 300, came: 30 },
    1,
  ],
  ['a rate of 0: nobody', { allowance: 0 }, 0],
])('%s', (_, figures, step) => {
  expect(paceStep({ ...atTheOpening, ...figures })).toBe(step)
})

const figures = fc.record({
  available: fc.nat(100_000),
  orders: fc.nat(5_000),
  tickets: fc.nat(20_000),
  searching: fc.nat(5_000),
  calledLately: fc.nat(5_000),
  cameLately: fc.nat(5_000),
  called: fc.nat(300),
  came: fc.nat(300),
  waiting: fc.nat(2_000_000),
  allowance: fc.nat(1_000),
  shoppersPerOrder: fc.double({ min: 0.01, max: 10, noNaN: true }),
})

test('a step is whole, never negative, and never above rate, orders to be had or those waiting', () => {
  fc.assert(
    fc.property(figures, (f) => {
      const given = { ...f, tickets: Math.max(f.tickets, f.orders), came: Math.min(f.came, f.called) }
      const step = paceStep(given)
      expect(Number.isInteger(step)).toBe(true)
      expect(step).toBeGreaterThanOrEqual(0)
      expect(step).toBeLessThanOrEqual(Math.min(given.allowance, given.waiting))
      const orders = Math.ceil(given.available / ticketsPerOrder(given))
      expect(given.searching + step).toBeLessThan(
        Math.max(given.searching, given.shoppersPerOrder * orders) + 1,
      )
      if (
        given.available > 0 &&
        given.searching + given.calledLately === 0 &&
        given.allowance * given.waiting > 0
      ) {
        expect(step).toBeGreaterThan(0)
      }
    }),
  )
})

test('whole places of a rate: over any ticks together no more than the rate allows, rounded up', () => {
  fc.assert(
    fc.property(
      fc.double({ min: 0, max: 500, noNaN: true }),
      fc.nat(1_000_000),
      fc.integer({ min: 1, max: 100 }),
      (rate, tick, ticks) => {
        let sum = 0
        for (let i = 0; i < ticks; i++) sum += allowanceOf(rate, tick + i)
        expect(Math.abs(sum - rate * ticks)).toBeLessThan(1.001)
      },
    ),
  )
  expect([0, 1, 2, 3].map((tick) => allowanceOf(2.5, tick))).toEqual([2, 3, 2, 3])
  expect([0, 1, 2, 3].map((tick) => allowanceOf(0.5, tick))).toEqual([0, 1, 0, 1])
})

test('a step calls that many people: places given up are passed over', () => {
  expect(callUpTo(10, 0, 20, new Set())).toBe(10)
  expect(callUpTo(10, 3, 20, new Set())).toBe(13)
  expect(callUpTo(10, 3, 20, new Set([11, 13]))).toBe(15)
  expect(callUpTo(10, 3, 12, new Set())).toBe(12)
})

test('shares begin at what is assumed, and end at what is measured', () => {
  expect(shareThatComes({ called: 0, came: 0 })).toBe(1)
  expect(shareThatComes({ called: 290, came: 110 })).toBe(0.4)
  expect(shareThatComes({ called: 10, came: 30 })).toBe(1)
  expect(shareUnpaid({ ended: 0, unpaid: 0 })).toBeCloseTo(0.3)
  expect(shareUnpaid({ ended: 9_990, unpaid: 997 })).toBeCloseTo(0.1)
  expect(seatsPerPlace({ taken: 0, called: 0 })).toBe(2.5)
  expect(seatsPerPlace({ taken: 975, called: 990 })).toBe(1)
})

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
  shareUnpaidLate,
  ticketsPerOrder,
} from '../../../src/sale/pacer/pace.ts'

const atTheOpening: PaceFigures = {
  available: 1_231,
  returning: 0,
  orders: 0,
  tickets: 0,
  searching: 0,
  calledRecently: 0,
  cameRecently: 0,
  called: 0,
  came: 0,
  waiting: 10_000,
  allowance: 30,
  shoppersPerOrder: 1,
}

test.each<[string, Partial<PaceFigures>, number]>([
  ['the rate is the ceiling', {}, 30],
  ['never more than the waiting places', { waiting: 7 }, 7],
  ['1,231 seats are 493 orders of 2.5', { allowance: 1_000 }, 493],
  ['fans who search count', { allowance: 1_000, searching: 400 }, 93],
  ['fans under way count', { allowance: 1_000, searching: 400, calledRecently: 50 }, 43],
  [
    'fans under way count by the measured share that comes in',
    { allowance: 1_000, calledRecently: 50, called: 290, came: 110 },
    471,
  ],
  [
    'fans who have come in no longer count as under way',
    { allowance: 1_000, calledRecently: 100, cameRecently: 38, called: 290, came: 110 },
    486,
  ],
  ['more searchers than possible orders: no place is called', { searching: 500 }, 0],
  ['two shoppers for each order', { allowance: 1_000, shoppersPerOrder: 2 }, 986],
  [
    '99 orders are too few to measure tickets per order',
    { allowance: 1_000, orders: 99, tickets: 396, available: 100 },
    40,
  ],
  ['100 orders of 4 tickets are enough', { allowance: 1_000, orders: 100, tickets: 400, available: 100 }, 25],
  ['every seat is held: no place is called', { available: 0 }, 0],
  [
    'every seat is held, and ten are about to come back: four places are called',
    { available: 0, returning: 10 },
    4,
  ],
  ['one seat that is about to come back calls no place yet', { available: 0, returning: 1 }, 0],
  ['one last seat calls one place', { available: 1 }, 1],
  ['one last seat with one searcher: no place is called', { available: 1, searching: 1 }, 0],
  [
    'one last seat at half a shopper for each order calls one place',
    { available: 1, shoppersPerOrder: 0.5 },
    1,
  ],
  [
    'one last seat with a likely no-show under way calls one more place',
    { available: 1, calledRecently: 1, called: 300, came: 30 },
    1,
  ],
  ['a rate of 0: no place is called', { allowance: 0 }, 0],
])('%s', (_, figures, step) => {
  expect(paceStep({ ...atTheOpening, ...figures })).toBe(step)
})

const figures = fc.record({
  available: fc.nat(100_000),
  orders: fc.nat(5_000),
  tickets: fc.nat(20_000),
  searching: fc.nat(5_000),
  calledRecently: fc.nat(5_000),
  cameRecently: fc.nat(5_000),
  called: fc.nat(300),
  came: fc.nat(300),
  waiting: fc.nat(2_000_000),
  allowance: fc.nat(1_000),
  shoppersPerOrder: fc.double({ min: 0.01, max: 10, noNaN: true }),
  returning: fc.double({ min: 0, max: 1_000, noNaN: true }),
})

test('a tick calls a whole number of places, never more than the rate, the possible orders or the waiting places', () => {
  fc.assert(
    fc.property(figures, (f) => {
      const given = { ...f, tickets: Math.max(f.tickets, f.orders), came: Math.min(f.came, f.called) }
      const step = paceStep(given)
      expect(Number.isInteger(step)).toBe(true)
      expect(step).toBeGreaterThanOrEqual(0)
      expect(step).toBeLessThanOrEqual(Math.min(given.allowance, given.waiting))
      const perOrder = ticketsPerOrder(given)
      const orders = Math.ceil(given.available / perOrder) + Math.round(given.returning / perOrder)
      expect(given.searching + step).toBeLessThan(
        Math.max(given.searching, given.shoppersPerOrder * orders) + 1,
      )
      if (
        given.available > 0 &&
        given.searching + given.calledRecently === 0 &&
        given.allowance * given.waiting > 0
      ) {
        expect(step).toBeGreaterThan(0)
      }
    }),
  )
})

test('over any number of ticks the called places match the rate', () => {
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

test('calling skips abandoned places', () => {
  expect(callUpTo(10, 0, 20, new Set())).toBe(10)
  expect(callUpTo(10, 3, 20, new Set())).toBe(13)
  expect(callUpTo(10, 3, 20, new Set([11, 13]))).toBe(15)
  expect(callUpTo(10, 3, 12, new Set())).toBe(12)
})

test('each share begins at its assumption and moves to the measured value', () => {
  expect(shareThatComes({ called: 0, came: 0 })).toBe(1)
  expect(shareThatComes({ called: 290, came: 110 })).toBe(0.4)
  expect(shareThatComes({ called: 10, came: 30 })).toBe(1)
  expect(shareUnpaid({ ended: 0, unpaid: 0 })).toBeCloseTo(0.3)
  expect(shareUnpaid({ ended: 9_990, unpaid: 997 })).toBeCloseTo(0.1)
  expect(shareUnpaidLate({ late: 0, lateUnpaid: 0 })).toBeCloseTo(0.5)
  expect(shareUnpaidLate({ late: 990, lateUnpaid: 895 })).toBeCloseTo(0.9)
  expect(seatsPerPlace({ taken: 0, called: 0 })).toBe(2.5)
  expect(seatsPerPlace({ taken: 975, called: 990 })).toBe(1)
})

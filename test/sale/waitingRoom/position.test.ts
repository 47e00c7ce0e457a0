import { expect, test } from 'vitest'
import type { Room } from '../../../src/sale/room/room.ts'
import type { SaleView } from '../../../src/sale/saleView.ts'
import {
  outlookOf,
  pollAfter,
  pollBeforeOpening,
  roughWait,
  updateEveryMs,
} from '../../../src/sale/waitingRoom/position.ts'

const room = {
  admittedUpTo: 1_000,
  admittedBefore: 400,
  worked: 300,
  paused: false,
  rate: 30,
  seatsPerPlace: 1.5,
  unpaidShare: 0.3,
} as Room

const saleWith = (available: number, held = 0, paused = false) =>
  ({ paused, counts: { available, held } }) as SaleView

const estimateWait = (...of: Parameters<typeof outlookOf>) => outlookOf(...of).estimatedWaitSeconds

test('the estimate is the places ahead divided by the places called a second in the last minute', () => {
  expect(estimateWait(saleWith(50_000), room, 1_001)).toBe(0)
  expect(estimateWait(saleWith(50_000), room, 1_601)).toBe(60)
  // The controller or ops have just cut the rate: from now on fewer places are called than in the last minute.
  expect(estimateWait(saleWith(50_000), { ...room, rate: 5 }, 1_601)).toBe(120)
  expect(estimateWait(saleWith(50_000), { ...room, rate: 0 }, 1_601)).toBeNull()
  // In the first minute of calling, the rate is measured since the room began to call.
  expect(estimateWait(saleWith(50_000), { ...room, rate: 50, worked: 20, admittedBefore: 0 }, 1_601)).toBe(12)
})

test('there is no estimate while no place is called, or before anything is measured', () => {
  expect(estimateWait(saleWith(50_000), { ...room, paused: true }, 1_601)).toBeNull()
  expect(estimateWait(saleWith(50_000, 0, true), room, 1_601)).toBeNull()
  expect(estimateWait(saleWith(50_000), { ...room, worked: 0 }, 1_601)).toBeNull()
  expect(estimateWait(saleWith(50_000), { ...room, admittedBefore: 1_000 }, 1_601)).toBeNull()
})

test('a place without an estimate says why: paused, unknown rate, all held, or too few seats', () => {
  const outlook = (sale: SaleView, now = room) => outlookOf(sale, now, 1_601).outlook
  expect(outlook(saleWith(50_000))).toBe('ESTIMATED')
  expect(outlook(saleWith(50_000, 0, true))).toBe('PAUSED')
  // Right after the draw no place was called yet: that says nothing about the seats.
  expect(outlook(saleWith(50_000), { ...room, rate: 0 })).toBe('RATE_UNKNOWN')
  expect(outlook(saleWith(50_000), { ...room, admittedBefore: 1_000 })).toBe('RATE_UNKNOWN')
  expect(outlook(saleWith(0, 1_000))).toBe('ALL_HELD')
  expect(outlook(saleWith(900))).toBe('MAY_NOT_REACH')
  expect(outlook(saleWith(900), { ...room, rate: 0 })).toBe('MAY_NOT_REACH')
})

test('there is no estimate where a rate near zero would mean years', () => {
  expect(estimateWait(saleWith(50_000), { ...room, rate: 0.001 }, 1_601)).toBe(600_000)
  for (const rate of [1e-6, 1e-320])
    expect(estimateWait(saleWith(50_000), { ...room, rate }, 1_601)).toBeNull()
  expect(estimateWait(saleWith(50_000), { ...room, rate: 1e-320 }, 1_001)).toBe(0)
})

test('there is no estimate where the seats will hardly last to the place', () => {
  // The 600 places ahead take 1.5 seats each.
  expect(estimateWait(saleWith(901), room, 1_601)).toBe(60)
  expect(estimateWait(saleWith(900), room, 1_601)).toBeNull()
  expect(estimateWait(saleWith(600, 1_001), room, 1_601)).toBe(60)
  expect(estimateWait(saleWith(600, 1_000), room, 1_601)).toBeNull()
})

test('there is no estimate while nothing is available, not even for the next place', () => {
  expect(estimateWait(saleWith(0, 1_000), room, 1_001)).toBeNull()
  expect(estimateWait(saleWith(1, 1_000), room, 1_001)).toBe(0)
})

test('a client polls every 3 s near the front and up to every 15 s far back, with jitter', () => {
  for (const random of [0, 0.5, 0.999]) {
    expect(pollAfter(0, random)).toBeLessThanOrEqual(4)
    for (const wait of [0, 1, 30, 60, 150, 3_600, null]) {
      const seconds = pollAfter(wait, random)
      expect(seconds).toBeGreaterThanOrEqual(3)
      expect(seconds).toBeLessThanOrEqual(15)
      expect(Number.isInteger(seconds)).toBe(true)
    }
  }
  expect(pollAfter(null, 0)).toBe(15)
  expect(pollAfter(null, 0.999)).toBe(10)
  expect(pollAfter(60, 0)).toBe(6)
})

test('the last poll before the opening comes once the draw is made, and has its reply within two seconds of the opening', () => {
  expect(pollBeforeOpening(3_600_000, 0)).toBe(15)
  for (let ms = 0; ms <= 14_000; ms += 7) {
    const after = pollBeforeOpening(ms) * 1_000 - ms
    expect(after).toBeGreaterThanOrEqual(800)
    // The round trip takes time as well.
    expect(after).toBeLessThanOrEqual(1_800)
  }
  expect(pollBeforeOpening(-400, 0)).toBe(1)
})

test('a socket gets an update each second where its place is called within a minute, and every 15 s far back', () => {
  expect(updateEveryMs(10)).toBe(1_000)
  expect(updateEveryMs(60)).toBe(1_000)
  expect(updateEveryMs(300)).toBe(5_000)
  expect(updateEveryMs(7_200)).toBe(15_000)
  expect(updateEveryMs(null)).toBe(15_000)
  expect(roughWait({ ...room, worked: 0 }, 1_301)).toBe(10)
  expect(roughWait({ ...room, worked: 0, rate: 0 }, 1_301)).toBeNull()
})

import { expect, test } from 'vitest'
import { nextRate, type RateState, rateInForce, type Strain } from '../../../src/sale/pacer/rate.ts'

const CEILING = 30
const uncut: RateState = {
  cutTo: null,
  rateCeiling: CEILING,
  rateReason: '',
  rateChangedAt: null,
  troubledRate: null,
  cutAt: null,
}
const clear: Strain = { checkoutP99Ms: 800, poolWaitMs: 1, providerRefusedShare: 0 }
const unmeasured: Strain = { checkoutP99Ms: null, poolWaitMs: null, providerRefusedShare: null }
const slow: Strain = { ...clear, checkoutP99Ms: 4_210 }

/** The state after the strain has lasted for this many seconds. */
function follow(state: RateState, strain: Strain, from: number, seconds: number): RateState {
  let now = state
  for (let i = 0; i < seconds; i++) now = nextRate(now, strain, at(from + i))
  return now
}

const at = (second: number) => new Date(Date.UTC(2027, 2, 1, 19) + second * 1_000)

test.each<[string, Partial<Strain>, string]>([
  ['checkout', { checkoutP99Ms: 4_210 }, 'checkout p99 4.2 s over 3 s'],
  ['the pool', { poolWaitMs: 80.4 }, 'wait for the database pool 80 ms over 50 ms'],
  ['the provider', { providerRefusedShare: 0.02 }, 'payment provider refuses 2.0 percent, the limit is 2'],
  [
    'two at once',
    { checkoutP99Ms: 3_100, poolWaitMs: 51 },
    'checkout p99 3.1 s over 3 s, wait for the database pool 51 ms over 50 ms',
  ],
])('trouble of %s halves the rate and gives the reason', (_, strain, reason) => {
  const state = nextRate(uncut, { ...clear, ...strain }, at(0))
  expect(rateInForce(state)).toBe(15)
  expect(state.rateReason).toBe(reason)
})

test.each<[string, Partial<Strain>]>([
  ['checkout', { checkoutP99Ms: 3_000 }],
  ['the pool', { poolWaitMs: 50 }],
  ['the provider', { providerRefusedShare: 0.0199 }],
])('at the limit of %s the rate is not cut', (_, strain) => {
  expect(nextRate(uncut, { ...clear, ...strain }, at(0))).toBe(uncut)
})

test('the rate is not halved again before the effect of the last cut is known, and never below a sixteenth', () => {
  const once = nextRate(uncut, slow, at(0))
  expect(rateInForce(follow(once, slow, 1, 19))).toBe(15)
  expect(rateInForce(follow(once, slow, 1, 20))).toBe(7.5)
  expect(rateInForce(follow(once, slow, 1, 300))).toBe(CEILING / 16)
})

test('after trouble the rate rises 5 percent every ten seconds, and at the ceiling the reason disappears', () => {
  let state: RateState = { ...nextRate(uncut, slow, at(0)), troubledRate: null }
  expect(rateInForce(follow(state, clear, 1, 9))).toBe(15)
  state = follow(state, clear, 1, 10)
  expect(rateInForce(state)).toBeCloseTo(15.75)
  expect(state.rateReason).toBe('after checkout p99 4.2 s over 3 s')
  expect(rateInForce(follow(state, clear, 11, 10))).toBeCloseTo(15 * 1.05 ** 2)
  expect(follow(state, clear, 11, 150)).toMatchObject({ cutTo: null, rateReason: '' })
})

test('a figure that was not measured is ignored, and without any figure the rate does not change', () => {
  expect(rateInForce(nextRate(uncut, { ...unmeasured, poolWaitMs: 90 }, at(0)))).toBe(15)
  const cut = nextRate(uncut, slow, at(0))
  expect(follow(cut, unmeasured, 1, 600)).toBe(cut)
  expect(nextRate(uncut, unmeasured, at(0))).toBe(uncut)
  expect(rateInForce(follow(cut, { ...unmeasured, checkoutP99Ms: 500 }, 1, 10))).toBeCloseTo(15.75)
})

test('a new ceiling is in force at once, whatever the controller has cut the rate to', () => {
  const cut = nextRate(uncut, slow, at(0))
  expect(rateInForce({ ...cut, rateCeiling: 4 })).toBe(4)
  expect(rateInForce({ ...cut, rateCeiling: 100 })).toBe(15)
  expect(rateInForce({ ...uncut, rateCeiling: 100 })).toBe(100)
  // A ceiling of 0 cannot be halved, and clears an earlier cut.
  const closed = follow({ ...cut, rateCeiling: 0 }, clear, 1, 10)
  expect(closed).toMatchObject({ cutTo: null, rateReason: '' })
  expect(nextRate({ ...uncut, rateCeiling: 0 }, slow, at(0))).toMatchObject({ cutTo: null })
})

test('for ten minutes the rate stays a tenth below the rate that caused trouble, then it rises again', () => {
  const cut = nextRate(uncut, slow, at(0))
  expect(rateInForce(follow(cut, clear, 1, 590))).toBeCloseTo(27)
  expect(follow(cut, clear, 1, 630)).toMatchObject({ cutTo: null })
})

/**
 * Simulates ten minutes of a service that can admit `capacity` places a second. A called place adds to its load `lag` seconds
 * later, and the strain is that of the last ten seconds.
 */
function simulateService(capacity: number, lag: number): { rates: number[]; cuts: number } {
  const rates: number[] = []
  let state = uncut
  let cuts = 0
  for (let second = 0; second < 600; second++) {
    const end = Math.max(0, second - lag)
    const load = Math.max(0, ...rates.slice(Math.max(0, end - 10), end))
    const checkoutP99Ms = load <= capacity ? 800 + (2_000 * load) / capacity : (4_000 * load) / capacity
    const next = nextRate(state, { ...clear, checkoutP99Ms }, at(second))
    if (rateInForce(next) < rateInForce(state)) cuts++
    state = next
    rates.push(rateInForce(state))
  }
  return { rates, cuts }
}

test.each([
  [1 / 10, 0],
  [1 / 10, 10],
  [1 / 3, 0],
  [1 / 3, 10],
  [1 / 2, 0],
  [1 / 2, 10],
  [4 / 5, 0],
  [4 / 5, 10],
])(
  'with a capacity of %d of the ceiling and %d s of lag the rate settles within five minutes and does not oscillate',
  (share, lag) => {
    const capacity = CEILING * share
    const { rates, cuts } = simulateService(capacity, lag)
    // Four cuts from the ceiling to a tenth, and one to find where the trouble begins.
    expect(cuts).toBeLessThanOrEqual(5)
    for (let second = 300; second < 600; second++) {
      const rate = rates[second] as number
      expect(rate).toBeGreaterThanOrEqual(rates[second - 1] as number)
      expect(rate).toBeLessThanOrEqual(capacity)
      expect(rate).toBeGreaterThanOrEqual(0.8 * capacity)
    }
  },
)

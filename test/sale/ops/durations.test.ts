import fc from 'fast-check'
import { expect, test } from 'vitest'
import { addDurations, countDuration, type Durations, percentileOf } from '../../../src/sale/ops/durations.ts'

const LONGEST = 3_600_000

test('a percentile is within 5 percent of the true value, however durations are spread over processes', () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: 0.02, max: LONGEST, noNaN: true }), { minLength: 1, maxLength: 300 }),
      fc.constantFrom(0.5, 0.95, 0.99, 1),
      fc.integer({ min: 1, max: 5 }),
      (values, share, processes) => {
        const counted: Durations[] = Array.from({ length: processes }, () => new Map())
        values.forEach((value, i) => {
          countDuration(counted[i % processes] as Durations, value)
        })
        const all: Durations = new Map()
        for (const one of counted) addDurations(all, one)
        const sorted = Float64Array.from(values).sort()
        const exact = sorted[Math.ceil(share * values.length) - 1] as number
        expect(Math.abs((percentileOf(all, share) as number) / exact - 1)).toBeLessThan(0.05)
      },
    ),
  )
})

test('without durations there is no percentile', () => {
  expect(percentileOf(new Map(), 0.99)).toBeNull()
})

test('a duration of zero counts as the shortest, and one of days as the longest', () => {
  const durations: Durations = new Map()
  countDuration(durations, 0)
  expect(percentileOf(durations, 1)).toBeLessThan(0.011)
  countDuration(durations, 10 * LONGEST)
  expect(percentileOf(durations, 1)).toBeGreaterThan(LONGEST * 0.95)
})

import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { createCountMinSketch, independentKey, keyOf } from '../../../src/sale/joinGuard/countMinSketch.ts'

const key = (name: string) => keyOf(createHash('sha256').update(name).digest())

test('a count covers the window, and fades with it', () => {
  let now = 0
  const sketch = createCountMinSketch(60_000, () => now)
  for (let i = 1; i <= 10; i++) expect(sketch.add(key('ana'))).toBe(i)
  expect(sketch.count(key('bob'))).toBe(0)
  expect(sketch.count(independentKey(key('ana')))).toBe(0)
  now = 59_999
  expect(sketch.count(key('ana'))).toBe(10)
  now = 90_000
  expect(sketch.count(key('ana'))).toBe(5)
  expect(sketch.add(key('ana'))).toBe(6)
  now = 120_000
  expect(sketch.count(key('ana'))).toBe(1)
  now = 10_000_000
  expect(sketch.count(key('ana'))).toBe(0)
})

test('the count falls below a limit at the time that the sketch predicts', () => {
  for (const [counted, passed] of [
    [10, 0],
    [25, 0],
    [25, 70_000],
    [10, 59_000],
  ] as const) {
    let now = 0
    const sketch = createCountMinSketch(60_000, () => now)
    for (let i = 0; i < counted; i++) sketch.add(key('ana'))
    now = passed
    const seconds = sketch.secondsUntilBelow(key('ana'), 10)
    expect(sketch.count(key('ana'))).toBeGreaterThanOrEqual(10)
    now += (seconds - 1) * 1_000 - 1
    expect(sketch.count(key('ana')), 'a moment before').toBeGreaterThanOrEqual(10)
    now += 1_001
    expect(sketch.count(key('ana')), 'then').toBeLessThanOrEqual(10)
    expect(sketch.secondsUntilBelow(key('bob'), 10)).toBe(0)
  }
})

test('a count is never too low, and among 100,000 accounts rarely too high', () => {
  const sketch = createCountMinSketch(60_000, () => 0)
  const accounts = Array.from({ length: 100_000 }, (_, i) => key(`account ${i}`))
  for (const account of accounts) {
    sketch.add(account)
    sketch.add(independentKey(account))
  }
  const counts = accounts.map((account) => sketch.count(account))
  expect(Math.min(...counts)).toBe(1)
  // The names' digests determine the cells, so every run gives the same counts.
  expect(counts.filter((count) => count > 2)).toEqual([])
  expect(counts.filter((count) => count > 1).length).toBeLessThan(1_000)
})

import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { besides, createCountMinSketch, keyOf } from '../../../src/sale/joinGuard/countMinSketch.ts'

const key = (name: string) => keyOf(createHash('sha256').update(name).digest())

test('counts what was counted within the window, and fades with it', () => {
  let now = 0
  const tally = createCountMinSketch(60_000, () => now)
  for (let i = 1; i <= 10; i++) expect(tally.add(key('ana'))).toBe(i)
  expect(tally.count(key('bob'))).toBe(0)
  expect(tally.count(besides(key('ana')))).toBe(0)
  now = 59_999
  expect(tally.count(key('ana'))).toBe(10)
  now = 90_000
  expect(tally.count(key('ana'))).toBe(5)
  expect(tally.add(key('ana'))).toBe(6)
  now = 120_000
  expect(tally.count(key('ana'))).toBe(1)
  now = 10_000_000
  expect(tally.count(key('ana'))).toBe(0)
})

test('says when a count is below a limit again, and then it is', () => {
  for (const [counted, passed] of [
    [10, 0],
    [25, 0],
    [25, 70_000],
    [10, 59_000],
  ] as const) {
    let now = 0
    const tally = createCountMinSketch(60_000, () => now)
    for (let i = 0; i < counted; i++) tally.add(key('ana'))
    now = passed
    const seconds = tally.secondsUntilBelow(key('ana'), 10)
    expect(tally.count(key('ana'))).toBeGreaterThanOrEqual(10)
    now += (seconds - 1) * 1_000 - 1
    expect(tally.count(key('ana')), 'a moment before').toBeGreaterThanOrEqual(10)
    now += 1_001
    expect(tally.count(key('ana')), 'then').toBeLessThanOrEqual(10)
    expect(tally.secondsUntilBelow(key('bob'), 10)).toBe(0)
  }
})

test('never counts too little, and among 100,000 accounts hardly ever too much', () => {
  const tally = createCountMinSketch(60_000, () => 0)
  const accounts = Array.from({ length: 100_000 }, (_, i) => key(`account ${i}`))
  for (const account of accounts) {
    tally.add(account)
    tally.add(besides(account))
  }
  const counts = accounts.map((account) => tally.count(account))
  expect(Math.min(...counts)).toBe(1)
  // The cells are where the names' digests put them: the same at every run.
  expect(counts.filter((count) => count > 2)).toEqual([])
  expect(counts.filter((count) => count > 1).length).toBeLessThan(1_000)
})

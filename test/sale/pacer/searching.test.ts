import { expect, test } from 'vitest'
import { advanceChances, countSearching, MARKS } from '../../../src/sale/pacer/searching.ts'

const unmeasured = { searched: [], took: [] }
/** This many searchers whose search began this many marks ago. */
const searchers = (count: number, marks: number) => [...Array(marks).fill(0), count]

test('a fan who has just come in counts in full, and less with every missed chance', () => {
  let last = countSearching(searchers(100, 0), unmeasured)
  expect(last).toBeCloseTo(100)
  for (let marks = 1; marks <= MARKS; marks++) {
    const now = countSearching(searchers(100, marks), unmeasured)
    expect(now).toBeLessThan(last)
    last = now
  }
  expect(last).toBeLessThan(2)
})

test('a searcher’s weight is the measured share of fans who took seats after as many chances', () => {
  // A tenth of 10,000 leaves without a sign. A third of the others takes seats at each of the first three marks.
  const searched = [10_000, 7_000, 4_000, ...Array(MARKS - 2).fill(1_000)]
  const took = [3_000, 3_000, 3_000, ...Array(MARKS - 2).fill(0)]
  const counted = (marks: number) => countSearching(searchers(1, marks), { searched, took })
  expect(counted(0)).toBeCloseTo(1)
  expect(counted(1)).toBeCloseTo(6 / 7 / 0.9, 1)
  expect(counted(2)).toBeCloseTo(3 / 4 / 0.9, 1)
  expect(counted(3)).toBeLessThan(0.01)
})

test('fans who search slowly keep their weight', () => {
  // One in thirty takes seats at each mark, and no fan has left.
  const searched = Array.from({ length: MARKS + 1 }, (_, mark) => 10_000 * (29 / 30) ** mark)
  const took = searched.map((count) => count / 30)
  expect(countSearching(searchers(100, 14), { searched, took })).toBeGreaterThan(35)
  expect(countSearching(searchers(100, 14), unmeasured)).toBeLessThan(35)
})

test('time counts as a chance only as far as there are seats to take', () => {
  const now = new Date()
  const start = { seconds: 14.5, marks: [] }
  expect(advanceChances(start, 1, { orders: 0, searching: 40 }, now)).toEqual(start)
  expect(advanceChances(start, 1, { orders: 10, searching: 40 }, now)).toEqual({ seconds: 14.75, marks: [] })
  expect(advanceChances(start, 1, { orders: 50, searching: 40 }, now)).toEqual({
    seconds: 15.5,
    marks: [now],
  })
  expect(advanceChances(start, 1, { orders: 1, searching: 0 }, now).seconds).toBe(15.5)
})

test('only the last marks are kept', () => {
  let chances = { seconds: 0, marks: [] as readonly Date[] }
  for (let second = 1; second <= 600; second++)
    chances = advanceChances(chances, 1, { orders: 1, searching: 1 }, new Date(second * 1_000))
  expect(chances.marks.map((mark) => mark.getTime() / 1_000)).toEqual(
    Array.from({ length: MARKS }, (_, i) => 600 - 15 * (MARKS - 1 - i)),
  )
})

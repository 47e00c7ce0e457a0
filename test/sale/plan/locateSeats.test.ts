import { describe, expect, test } from 'vitest'
import { locateSeats } from '../../../src/sale/plan/locateSeats.ts'
import { planFile, planOf, planOfSeats } from '../../support/plans.ts'
import { stadium } from '../../support/stadium.ts'

interface Row {
  label?: string
  /** The x coordinates of its seats. */
  at: readonly number[]
  y?: number
  numbers?: readonly string[]
}

/** Locates the seats of one section of such rows, which are 30 apart. */
function locate(...rows: Row[]) {
  const seats = rows.flatMap(({ label = '', at, y, numbers }, r) =>
    at.map((x, n) => ({
      key: `${r}-${n}`,
      row: label,
      planRow: r,
      number: numbers?.[n] ?? String(n + 1),
      x,
      y: y ?? 30 * r,
    })),
  )
  const [located = []] = locateSeats(planOfSeats(seats)).positions
  return rows.map((_, r) => located.filter((_, i) => seats[i]?.planRow === r))
}

const along = (row: { position: number }[] = []) => row.map(({ position }) => position)

describe('neighbours', () => {
  test('have consecutive numbers', () => {
    const [row] = locate({ at: [0, 25, 50, 75] })
    expect(along(row)).toEqual([1, 2, 3, 4])
  })

  test('are not on two sides of an aisle or of a missing seat', () => {
    const [aisle, missing] = locate({ at: [0, 25, 50, 90, 115] }, { at: [0, 25, 75, 100, 125] })
    expect(along(aisle)).toEqual([1, 2, 3, 5, 6])
    expect(along(missing)).toEqual([1, 2, 4, 5, 6])
  })

  test('may have small gaps between them', () => {
    const [row] = locate({ at: [0, 24, 51, 75, 105] })
    expect(along(row)).toEqual([1, 2, 3, 4, 5])
  })

  test('in a row of two are found with the distances of the rows around it', () => {
    const [pair] = locate({ at: [0, 75] }, { at: [0, 25, 50, 75] }, { at: [0, 25, 50, 75] })
    expect(along(pair)).toEqual([1, 3])
  })

  test('are in one row if the plan lists its halves apart, with the aisle between the halves', () => {
    const [left, right] = locate({ label: '3', at: [0, 25, 50], y: 0 }, { label: '3', at: [125, 150], y: 0 })
    expect(along(left)).toEqual([1, 2, 3])
    expect(along(right)).toEqual([5, 6])
    expect(left?.[0]?.rowNo).toBe(right?.[0]?.rowNo)
  })

  test('are found in any order of the plan’s list', () => {
    const [row] = locate({ at: [50, 0, 75, 25] })
    expect(along(row)).toEqual([3, 1, 4, 2])
  })

  test('with the same coordinates are found by their numbers', () => {
    const [row] = locate({ at: [0, 0, 0, 0], numbers: ['1', '2', '5', '6'] })
    expect(along(row)).toEqual([1, 2, 4, 5])
  })
})

describe('ranks', () => {
  test('are best in the middle of the first row', () => {
    const [first, second] = locate(
      { label: '1', at: [0, 25, 50, 75, 100] },
      { label: '2', at: [0, 25, 50, 75, 100] },
    )
    const ranks = (row = first) => row?.map(({ rank }) => rank)
    expect(ranks()).toEqual([6, 2, 1, 3, 7].map(() => expect.any(Number)))
    expect(ranks()?.[2]).toBe(1)
    // Two seats further from the middle cost as much as a row further back; on a tie, the row in front is better.
    expect(Math.min(...(ranks(second) ?? []))).toBe(6)
  })

  test('follow the rows’ numbers or letters, in any order of the plan’s list', () => {
    const nos = (...labels: string[]) =>
      locate(...labels.map((label) => ({ label, at: [0, 25] }))).map((row) => row[0]?.rowNo)
    expect(nos('10', '2', '1')).toEqual([3, 2, 1])
    expect(nos('AA', 'Z', 'B')).toEqual([3, 2, 1])
  })

  test('are unique in a real hall, whose rows are broken at its aisles', () => {
    const plan = planOf(planFile('demo/sports-hall.json'))
    const hall = plan.sections
    const located = locateSeats(plan).positions
    const ranks = located.flat().map(({ rank }) => rank)
    expect(new Set(ranks).size).toBe(1_231)
    expect([Math.min(...ranks), Math.max(...ranks)]).toEqual([1, 1_231])
    // Row 14 of block D has aisles after seats 7 and 21.
    const row = hall[0]?.seats.flatMap((seat, i) =>
      seat.row === '14' ? [located[0]?.[i]?.position as number] : [],
    )
    expect(row?.slice(5, 9)).toEqual([6, 7, 9, 10])
    expect(row?.slice(19, 23)).toEqual([21, 22, 24, 25])
  })

  test('leave a stadium’s rows whole, in every direction', () => {
    const plan = planOf(stadium({ sections: 24, rows: 3, seatsPerRow: 25 }))
    for (const located of locateSeats(plan).positions) {
      const rows = Map.groupBy(located, ({ rowNo }) => rowNo)
      expect(rows.size).toBe(3)
      for (const row of rows.values())
        expect(row.map(({ position }) => position).sort((a, b) => a - b)).toEqual(
          Array.from({ length: 25 }, (_, i) => i + 1),
        )
    }
  })
})

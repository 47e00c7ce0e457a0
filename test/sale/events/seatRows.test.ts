import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { type PlanSection, readSeatingPlan } from '../../../src/sale/events/seatingPlan.ts'
import { locateSeats } from '../../../src/sale/events/seatRows.ts'
import { createInputFaults } from '../../../src/sale/inputFaults.ts'
import { stadium } from '../../support/stadium.ts'

interface Row {
  label?: string
  /** Where its seats stand, from the left. */
  at: readonly number[]
  y?: number
  numbers?: readonly string[]
}

/** One section of such rows; rows are 30 apart. */
function placesOf(...rows: Row[]) {
  const seats = rows.flatMap(({ label = '', at, y, numbers }, r) =>
    at.map((x, n) => ({
      key: `${r}-${n}`,
      row: label,
      planRow: r,
      number: numbers?.[n] ?? String(n + 1),
      x,
      y: y ?? 30 * r,
      category: 0,
      wheelchair: false,
      companionOf: null,
    })),
  )
  const [places = []] = locateSeats([{ seats }])
  return rows.map((_, r) => places.filter((_, i) => seats[i]?.planRow === r))
}

const along = (places: { rowPlace: number }[] = []) => places.map(({ rowPlace }) => rowPlace)

describe('neighbours', () => {
  test('stand a seat’s distance apart', () => {
    const [row] = placesOf({ at: [0, 25, 50, 75] })
    expect(along(row)).toEqual([1, 2, 3, 4])
  })

  test('an aisle breaks a row, and so does a seat that is missing', () => {
    const [aisle, missing] = placesOf({ at: [0, 25, 50, 90, 115] }, { at: [0, 25, 75, 100, 125] })
    expect(along(aisle)).toEqual([1, 2, 3, 5, 6])
    expect(along(missing)).toEqual([1, 2, 4, 5, 6])
  })

  test('small gaps do not: rows are not measured to the millimetre', () => {
    const [row] = placesOf({ at: [0, 24, 51, 75, 105] })
    expect(along(row)).toEqual([1, 2, 3, 4, 5])
  })

  test('two seats with an aisle between them are told by the rows around them', () => {
    const [pair] = placesOf({ at: [0, 75] }, { at: [0, 25, 50, 75] }, { at: [0, 25, 50, 75] })
    expect(along(pair)).toEqual([1, 3])
  })

  test('halves of a row that the plan lists apart are one row, with the aisle between them', () => {
    const [left, right] = placesOf(
      { label: '3', at: [0, 25, 50], y: 0 },
      { label: '3', at: [125, 150], y: 0 },
    )
    expect(along(left)).toEqual([1, 2, 3])
    expect(along(right)).toEqual([5, 6])
    expect(left?.[0]?.rowNo).toBe(right?.[0]?.rowNo)
  })

  test('are found whatever the order that the plan lists them in', () => {
    const [row] = placesOf({ at: [50, 0, 75, 25] })
    expect(along(row)).toEqual([3, 1, 4, 2])
  })

  test('on one spot they are told by their numbers', () => {
    const [row] = placesOf({ at: [0, 0, 0, 0], numbers: ['1', '2', '5', '6'] })
    expect(along(row)).toEqual([1, 2, 4, 5])
  })
})

describe('ranks', () => {
  test('the middle of the first row is the best', () => {
    const [first, second] = placesOf(
      { label: '1', at: [0, 25, 50, 75, 100] },
      { label: '2', at: [0, 25, 50, 75, 100] },
    )
    const ranks = (row = first) => row?.map(({ rank }) => rank)
    expect(ranks()).toEqual([6, 2, 1, 3, 7].map(() => expect.any(Number)))
    expect(ranks()?.[2]).toBe(1)
    // Two seats aside are as bad as a row further back, and then the row in front is better.
    expect(Math.min(...(ranks(second) ?? []))).toBe(6)
  })

  test('rows come by their numbers or letters, in whatever order the plan lists them', () => {
    const nos = (...labels: string[]) =>
      placesOf(...labels.map((label) => ({ label, at: [0, 25] }))).map((row) => row[0]?.rowNo)
    expect(nos('10', '2', '1')).toEqual([3, 2, 1])
    expect(nos('AA', 'Z', 'B')).toEqual([3, 2, 1])
  })

  test('every seat of the real hall has its own, and its rows are broken where the hall has aisles', () => {
    const hall = sectionsOf(readFileSync(new URL('../../../demo/sports-hall.json', import.meta.url), 'utf8'))
    const places = locateSeats(hall)
    const ranks = places.flat().map(({ rank }) => rank)
    expect(new Set(ranks).size).toBe(1_231)
    expect([Math.min(...ranks), Math.max(...ranks)]).toEqual([1, 1_231])
    // Row 14 of block D: aisles after seats 7 and 21.
    const row = hall[0]?.seats.flatMap((seat, i) =>
      seat.row === '14' ? [places[0]?.[i]?.rowPlace as number] : [],
    )
    expect(row?.slice(5, 9)).toEqual([6, 7, 9, 10])
    expect(row?.slice(19, 23)).toEqual([21, 22, 24, 25])
  })

  test('a stadium’s rows are whole, whichever way they point', () => {
    const sections = sectionsOf(stadium({ sections: 24, rows: 3, seatsPerRow: 25 }))
    for (const places of locateSeats(sections)) {
      const rows = Map.groupBy(places, ({ rowNo }) => rowNo)
      expect(rows.size).toBe(3)
      for (const row of rows.values())
        expect(row.map(({ rowPlace }) => rowPlace).sort((a, b) => a - b)).toEqual(
          Array.from({ length: 25 }, (_, i) => i + 1),
        )
    }
  })
})

function sectionsOf(plan: unknown): readonly PlanSection[] {
  const faults = createInputFaults()
  const read = readSeatingPlan(plan, [], faults)
  faults.throwAny()
  return read?.sections ?? []
}

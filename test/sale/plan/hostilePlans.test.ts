import { expect, test } from 'vitest'
import { createInputFaults } from '../../../src/sale/inputFaults.ts'
import { locateSeats } from '../../../src/sale/plan/locateSeats.ts'
import { numberPlan } from '../../../src/sale/plan/numberedPlan.ts'
import { readSeatingPlan } from '../../../src/sale/plan/readSeatingPlan.ts'
import type { SeatingPlan } from '../../../src/sale/plan/seatingPlan.ts'

function read(rows: readonly object[]) {
  const faults = createInputFaults()
  const plan = { categories: [{ name: 'Stalls' }], zones: [{ name: 'Block A', rows }] }
  return { plan: readSeatingPlan(plan, ['plan'], faults) as SeatingPlan, faults }
}

const seat = (seat_guid: string, x: number, y: number, number = seat_guid) => ({
  seat_guid,
  seat_number: number,
  category: 'Stalls',
  position: { x, y },
})

test('ten thousand rows of one label and one number are read row by row, each with a label of its own', () => {
  const { plan } = read(
    Array.from({ length: 10_000 }, (_, i) => ({ row_number: 'A', seats: [seat(`s${i}`, 0, i, '1')] })),
  )
  const labels = plan.sections[0]?.seats.map(({ row }) => row)
  expect(new Set(labels).size).toBe(10_000)
  expect(labels?.slice(0, 3)).toEqual(['A', 'A (2)', 'A (3)'])
})

test('benches of more than 200 seats are no table', () => {
  const acrossOf = (length: number) => {
    const bench = (y: number) => Array.from({ length }, (_, x) => seat(`${x}-${y}`, x, y))
    const located = locateSeats(read([{ row_number: 'A', seats: [...bench(0), ...bench(3)] }]).plan)
    return located.positions.flat().filter(({ across }) => across !== null).length
  }
  expect(acrossOf(200)).toBe(400)
  expect(acrossOf(201)).toBe(0)
})

test('a seat label that grows with the number is a fault of its own', () => {
  const { faults } = read([{ seat_label: '%s'.repeat(100), seats: [seat('a', 0, 0, 'x'.repeat(200))] }])
  expect(() => faults.throwAny()).toThrow(/seat_label: must have at most 200 characters, not 20000/)
})

test('no unit of an area has the key of a seat, whatever slashes the keys begin with', () => {
  const keys = ['bar/1', '/bar/1', '///bar/2', '//pit/1']
  const { plan } = read([{ seats: keys.map((key, i) => seat(key, 25 * i, 0)) }])
  const areas = ['bar', '////bar', 'pit', '/'].map((key) => ({ key, name: key, capacity: 2, outline: [] }))
  const { seats } = numberPlan('evt_000000000000000000000000', plan, areas)
  expect(new Set(seats.map(({ key }) => key)).size).toBe(keys.length + 8)
})

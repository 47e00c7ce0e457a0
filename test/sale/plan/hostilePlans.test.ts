import { expect, test } from 'vitest'
import { createInputFaults } from '../../../src/sale/inputFaults.ts'
import { featureOf } from '../../../src/sale/plan/hallFeature.ts'
import { locateSeats } from '../../../src/sale/plan/locateSeats.ts'
import { numberPlan } from '../../../src/sale/plan/numberedPlan.ts'
import { readSeatingPlan } from '../../../src/sale/plan/readSeatingPlan.ts'
import { frontOf } from '../../../src/sale/plan/rowOrder.ts'
import type { PlanArea, SeatingPlan } from '../../../src/sale/plan/seatingPlan.ts'
import type { LocatedSection } from '../../../src/sale/plan/sectionRows.ts'

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

const times = <T>(count: number, make: (i: number) => T) => Array.from({ length: count }, (_, i) => make(i))

/** Returns how often the work calls this method. */
function callsOf<Name extends string>(
  prototype: Record<Name, (...given: never[]) => unknown>,
  name: Name,
  work: () => void,
): number {
  const own = prototype[name]
  let calls = 0
  prototype[name] = function (this: unknown, ...given: never[]) {
    calls++
    return own.apply(this, given)
  }
  try {
    work()
  } finally {
    prototype[name] = own
  }
  return calls
}

test('rows of one label and one number are read row by row, each with a label of its own', () => {
  let labels: string[] = []
  const rows = times(2_000, (i) => ({ row_number: 'A', seats: [seat(`s${i}`, 0, i, '1')] }))
  const lookUps = callsOf(Map.prototype, 'get', () => {
    labels = read(rows).plan.sections[0]?.seats.map(({ row }) => row) ?? []
  })
  expect(new Set(labels).size).toBe(2_000)
  expect(labels.slice(0, 3)).toEqual(['A', 'A (2)', 'A (3)'])
  // A comparison of every two rows takes two million.
  expect(lookUps).toBeLessThan(100 * rows.length)
})

test('rows of two labels are compared by a sample: a hostile section has thousands of each', () => {
  let reads = 0
  const seats = times(2_000, (i) => ({
    ...{ row: i % 2 === 0 ? 'A' : 'B', planRow: i, y: i },
    get x() {
      reads++
      return 0
    },
  }))
  const rows = seats.map((_, i) => ({ seats: [i] }))
  frontOf([], [{ seats, rows } as unknown as LocatedSection], 1_000)
  // A comparison of each row A with each row B takes a million, several reads each.
  expect(reads).toBeGreaterThan(0)
  expect(reads).toBeLessThan(50 * seats.length)
})

test('the shapes under hundreds of stage texts are measured once', () => {
  let reads = 0
  const area = (kind: string, feature: 'STAGE' | null) => ({
    ...{ x: 0, y: 0, rotation: 0, width: 10, height: 10, points: [], feature },
    text: feature && { x: 0, y: 0, text: 'Stage' },
    get kind() {
      reads++
      return kind
    },
  })
  const areas = [...times(300, () => area('TEXT', 'STAGE')), ...times(300, () => area('RECTANGLE', null))]
  expect(featureOf(areas as unknown as PlanArea[])).not.toBeNull()
  expect(reads).toBeLessThan(20 * areas.length)
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

test('a key for an area is found at once where seats have it with one slash more each', () => {
  const keys = times(150, (i) => `${'/'.repeat(i)}bar/1`)
  const { plan } = read([{ seats: keys.map((key, i) => seat(key, 25 * i, 0)) }])
  const areas = [{ key: 'bar', name: 'Bar', capacity: 1, outline: [] }]
  const comparisons = callsOf(String.prototype, 'startsWith', () =>
    numberPlan('evt_000000000000000000000000', plan, areas),
  )
  expect(comparisons).toBeLessThan(5 * keys.length)
})

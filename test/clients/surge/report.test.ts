import { expect, test } from 'vitest'
import type { Order, Reconciliation, Sale } from '../../../clients/sdk/index.ts'
import { createRecord } from '../../../clients/surge/record.ts'
import { report } from '../../../clients/surge/report.ts'

const money = (amount: number) => ({ amount, currency: 'EUR' })

const empty: Reconciliation = {
  ok: true,
  capacity: 24,
  available: 24,
  held: 0,
  sold: 0,
  notForSale: 0,
  tickets: 0,
  ordersConfirmed: 0,
  ordersPaying: 0,
  captured: money(0),
  findings: [],
  asOf: new Date(0).toISOString(),
}

const order = (tickets: number) =>
  ({ tickets: Array(tickets).fill({}), total: money(tickets * 2_500) }) as unknown as Order

/** What the report says under one title, by row; rows of the same name follow one another. */
function rowsOf(text: string, title: string): string[][] {
  const lines = text.split('\n')
  const from = lines.indexOf(title) + 1
  return lines
    .slice(from, lines.indexOf('', from))
    .map((line) => line.trim().split(/ {2,}/))
    .filter((cells) => cells.length === 2)
}

function tell(record = createRecord(10), faults: string[] = [], after: Partial<Reconciliation> = {}) {
  const audit = { before: empty, after: { ...empty, ...after }, faults }
  return report(record, audit, { state: 'ON_SALE' } as Sale, 10)
}

test('what was told of the wait is held against it; those who were told nothing at half-way are counted', () => {
  const record = createRecord(10)
  record.estimates.push({ told: 50, waited: 40 }, { told: 30, waited: 33 }, { told: 20, waited: null })
  // Wrong by 10, 50 and 20 percent of what was left.
  record.halfway.push(
    { told: 22, waited: 20 },
    { told: 5, waited: 10 },
    { told: null, waited: 20 },
    { told: 8, waited: 10 },
    { told: null, waited: 30 },
  )
  expect(rowsOf(tell(record), 'The wait they were told first, and the wait they had')).toEqual([
    ['told and then let in', '2'],
    ['told: half of them at most', '30 s'],
    ['had: half of them at most', '33 s'],
    ['off by: half of them at most', '3 s'],
    ['off by: nine in ten at most', '10 s'],
    ['told a wait, and never let in', '1'],
    ['half-way: told what is left', '3'],
    ['off by: half of them at most', '20 %'],
    ['off by: nine in ten at most', '50 %'],
    ['half-way: told nothing', '2'],
  ])
})

test('of nobody nothing is claimed', () => {
  const rows = rowsOf(tell(), 'The wait they were told first, and the wait they had')
  expect(rows.map(([, told]) => told)).toEqual(['0', '–', '–', '–', '–', '0', '0', '–', '–', '0'])
})

test('how the sale went, for the crowd and for others meanwhile, and whether it adds up', () => {
  const record = createRecord(10)
  record.orders.push(order(2), order(3))
  record.endings.set('too late', 3).set('bought', 7)
  record.setbacks.set('OVERLOADED', 4)
  record.latencies.set('Hold', [30, 10, 20, 40])
  const text = tell(record, [], {
    sold: 9,
    available: 14,
    held: 1,
    tickets: 9,
    ordersConfirmed: 3,
    captured: money(22_500),
  })
  expect(rowsOf(text, 'How it ended for them')).toEqual([
    ['bought', '7'],
    ['too late', '3'],
  ])
  expect(rowsOf(text, 'The sale')).toEqual([
    ['seats', '24'],
    ['sold before', '0'],
    ['sold to the crowd, each once', '5'],
    ['sold to others meanwhile', '4'],
    ['left', '15'],
    ['orders confirmed', '2'],
    ['orders still paying', '0'],
    ['paid by the crowd', '€125.00'],
    ['captured', '€225.00'],
  ])
  expect(rowsOf(text, 'Put off, and asked again')).toEqual([['OVERLOADED', '4']])
  expect(text).toMatch(/^ {2}hold +4 +20 +40 +40 +40$/m)
  expect(text).toContain('Not sold out: 15 seats are left')
  expect(text).toContain('It adds up')
  const wrong = tell(
    record,
    Array.from({ length: 52 }, (_, i) => `fault ${i}`),
  )
  expect(wrong).toMatch(/IT DOES NOT ADD UP:\n {2}- fault 0\n[\s\S]*- fault 49\n {2}… and 2 more/)
  expect(wrong).not.toContain('It adds up')
})

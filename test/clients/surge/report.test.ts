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

/** The rows of the report under one title, in order. */
function rowsOf(text: string, title: string): string[][] {
  const lines = text.split('\n')
  const from = lines.indexOf(title) + 1
  return lines
    .slice(from, lines.indexOf('', from))
    .map((line) => line.trim().split(/ {2,}/))
    .filter((cells) => cells.length === 2)
}

function reportOf(record = createRecord(10), faults: string[] = [], after: Partial<Reconciliation> = {}) {
  const audit = { before: empty, after: { ...empty, ...after }, faults }
  return report(record, audit, { state: 'ON_SALE' } as Sale, 10)
}

test('the report compares wait estimates with the actual waits and counts fans without an estimate', () => {
  const record = createRecord(10)
  record.estimates.push(
    { estimated: 50, waited: 40 },
    { estimated: 30, waited: 33 },
    { estimated: 20, waited: null },
  )
  // Wrong by 10, 50 and 20 percent of the remaining wait.
  record.halfway.push(
    { estimated: 22, waited: 20 },
    { estimated: 5, waited: 10 },
    { estimated: null, waited: 20 },
    { estimated: 8, waited: 10 },
    { estimated: null, waited: 30 },
  )
  expect(rowsOf(reportOf(record), 'The first estimate of the wait, and the actual wait')).toEqual([
    ['fans with an estimate, admitted', '2'],
    ['estimate, p50', '30 s'],
    ['actual wait, p50', '33 s'],
    ['error, p50', '3 s'],
    ['error, p90', '10 s'],
    ['fans with an estimate, not admitted', '1'],
    ['half-way: fans with an estimate', '3'],
    ['half-way: error, p50', '20 %'],
    ['half-way: error, p90', '50 %'],
    ['half-way: fans without an estimate', '2'],
  ])
})

test('without fans the report shows no figures', () => {
  const rows = rowsOf(reportOf(), 'The first estimate of the wait, and the actual wait')
  expect(rows.map(([, value]) => value)).toEqual(['0', '–', '–', '–', '–', '0', '0', '–', '–', '0'])
})

test('the report shows the sale to the crowd and to other fans, and whether it adds up', () => {
  const record = createRecord(10)
  record.orders.push(order(2), order(3))
  record.endings.set('too late', 3).set('bought', 7)
  record.retries.set('OVERLOADED', 4)
  record.latencies.set('Hold', [30, 10, 20, 40])
  const text = reportOf(record, [], {
    sold: 9,
    available: 14,
    held: 1,
    tickets: 9,
    ordersConfirmed: 3,
    captured: money(22_500),
  })
  expect(rowsOf(text, 'How the visits ended')).toEqual([
    ['bought', '7'],
    ['too late', '3'],
  ])
  expect(rowsOf(text, 'The sale')).toEqual([
    ['seats', '24'],
    ['sold before', '0'],
    ['sold to the crowd, each once', '5'],
    ['sold to other fans meanwhile', '4'],
    ['left', '15'],
    ['orders confirmed', '2'],
    ['orders still paying', '0'],
    ['paid by the crowd', '€125.00'],
    ['captured', '€225.00'],
  ])
  expect(rowsOf(text, 'Requests that were retried')).toEqual([['OVERLOADED', '4']])
  expect(text).toMatch(/^ {2}hold +4 +20 +40 +40 +40$/m)
  expect(text).toContain('Not sold out: 15 seats are left')
  expect(text).toContain('It adds up')
  const wrong = reportOf(
    record,
    Array.from({ length: 52 }, (_, i) => `fault ${i}`),
  )
  expect(wrong).toMatch(/IT DOES NOT ADD UP:\n {2}- fault 0\n[\s\S]*- fault 49\n {2}… and 2 more/)
  expect(wrong).not.toContain('It adds up')
})

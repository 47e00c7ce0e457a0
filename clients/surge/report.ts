import { formatMoney, type Sale } from '../sdk/index.ts'
import type { Audit } from './audit.ts'
import { ascending, percentile } from './percentiles.ts'
import type { CrowdRecord } from './record.ts'
import type { HalfwayEstimate } from './waitEstimates.ts'

const NAMES: Record<string, string> = {
  JoinQueue: 'join',
  QueuePosition: 'poll of a place',
  Availability: 'map read',
  Hold: 'hold',
  Checkout: 'checkout',
}

/** What happened, for the person at the terminal. */
export function report(
  record: CrowdRecord,
  { before, after, faults }: Audit,
  sale: Sale,
  fans: number,
): string {
  const seconds = (performance.now() - record.started) / 1_000
  const tickets = record.orders.reduce((sum, order) => sum + order.tickets.length, 0)
  const paid = record.orders.reduce((sum, order) => sum + order.total.amount, 0)
  const { currency } = after.captured
  const others = after.sold - before.sold - tickets
  const lines = [
    '',
    `${fans.toLocaleString('en')} people in ${minutes(seconds)}; ${tickets.toLocaleString('en')} tickets in ${record.orders.length.toLocaleString('en')} orders`,
    '',
    ...table(
      'How it ended for them',
      [...record.endings].sort(([, a], [, b]) => b - a),
    ),
    ...table('The sale', [
      ['seats', after.capacity],
      ['sold before', before.sold],
      ['sold to the crowd, each once', tickets],
      ...(others ? ([['sold to others meanwhile', others]] as [string, number][]) : []),
      ['left', after.available + after.held],
      ['orders confirmed', record.orders.length],
      ['orders still paying', after.ordersPaying],
      ['paid by the crowd', formatMoney({ amount: paid, currency }, 'en')],
      ['captured', formatMoney({ amount: after.captured.amount - before.captured.amount, currency }, 'en')],
    ]),
    ...table('Holds', [
      ['held', record.holds],
      ...[...record.refusals].sort(([, a], [, b]) => b - a),
      ['cards declined', record.declines],
    ]),
    ...latencies(record),
    ...estimates(record),
  ]
  if (record.setbacks.size) lines.push(...table('Put off, and asked again', [...record.setbacks]))
  if (record.troubles.size) lines.push(...table('What stopped somebody', [...record.troubles]))
  if (sale.state !== 'SOLD_OUT') {
    lines.push(
      `Not sold out: ${after.available + after.held} seats are left, and everybody has gone home.`,
      '',
    )
  }
  lines.push(
    faults.length
      ? `IT DOES NOT ADD UP:\n${faults
          .slice(0, 50)
          .map((fault) => `  - ${fault}`)
          .join('\n')}${faults.length > 50 ? `\n  … and ${faults.length - 50} more` : ''}`
      : 'It adds up: every seat sold once, every order settled, captures equal confirmed orders.',
    '',
  )
  return lines.join('\n')
}

function latencies({ latencies, ownDelay }: CrowdRecord): string[] {
  const rows = Object.entries(NAMES).flatMap(([operation, name]) => {
    const values = ascending(latencies.get(operation) ?? [])
    if (values.length === 0) return []
    const shown = [0.5, 0.95, 0.99, 1].map((share) => percentile(values, share).toFixed(0).padStart(7))
    return [`  ${name.padEnd(18)}${String(values.length).padStart(8)}${shown.join('')}`]
  })
  const own = [50, 95, 99, 100].map((share) => (ownDelay.percentile(share) / 1e6).toFixed(0).padStart(7))
  return [
    'Answers, in milliseconds, as the crowd saw them',
    `  ${''.padEnd(18)}   count    p50    p95    p99    max`,
    ...rows,
    `  ${'of it, our own'.padEnd(18)}${''.padStart(8)}${own.join('')}`,
    '',
  ]
}

function estimates({ estimates, halfway }: CrowdRecord): string[] {
  const waited = estimates.filter((one): one is { told: number; waited: number } => one.waited !== null)
  const never = estimates.length - waited.length
  const off = ascending(waited.map(({ told, waited }) => Math.abs(waited - told)))
  const told = ascending(waited.map(({ told }) => told))
  const was = ascending(waited.map(({ waited }) => waited))
  const seconds = (value: number) => (Number.isNaN(value) ? '–' : `${value.toFixed(0)} s`)
  const wrong = wrongShares(halfway)
  return table('The wait they were told first, and the wait they had', [
    ['told and then let in', waited.length],
    ['told: half of them at most', seconds(percentile(told, 0.5))],
    ['had: half of them at most', seconds(percentile(was, 0.5))],
    ['off by: half of them at most', seconds(percentile(off, 0.5))],
    ['off by: nine in ten at most', seconds(percentile(off, 0.9))],
    ['told a wait, and never let in', never],
    ['half-way: told what is left', wrong.length],
    ['off by: half of them at most', percent(percentile(wrong, 0.5))],
    ['off by: nine in ten at most', percent(percentile(wrong, 0.9))],
    ['half-way: told nothing', halfway.length - wrong.length],
  ])
}

/** By which share of what was left the estimates at half-way were wrong. */
function wrongShares(halfway: readonly HalfwayEstimate[]): number[] {
  return ascending(
    halfway.flatMap(({ told, waited }) => (told === null ? [] : [Math.abs(told - waited) / waited])),
  )
}

function percent(share: number): string {
  return Number.isNaN(share) ? '–' : `${(share * 100).toFixed(0)} %`
}

function table(title: string, rows: readonly (readonly [string, number | string])[]): string[] {
  const width = Math.max(32, ...rows.map(([name]) => name.length + 2))
  return [
    title,
    ...rows.map(([name, value]) => {
      const shown = typeof value === 'number' ? value.toLocaleString('en') : value
      return `  ${name.padEnd(width)}${shown.padStart(12)}`
    }),
    '',
  ]
}

function minutes(seconds: number): string {
  return seconds < 90
    ? `${seconds.toFixed(0)} s`
    : `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`
}

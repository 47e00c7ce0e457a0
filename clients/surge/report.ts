import { formatMoney, type Sale } from '../sdk/index.ts'
import type { Audit } from './audit.ts'
import { ascending, percentile } from './percentiles.ts'
import type { CrowdRecord } from './record.ts'
import type { HalfwayEstimate } from './waitEstimates.ts'

const NAMES: Record<string, string> = {
  JoinQueue: 'join',
  QueuePosition: 'position poll',
  Availability: 'map read',
  Hold: 'hold',
  Checkout: 'checkout',
}

/** The report for the terminal. */
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
    `${fans.toLocaleString('en')} fans in ${minutes(seconds)}; ${tickets.toLocaleString('en')} tickets in ${record.orders.length.toLocaleString('en')} orders`,
    '',
    ...table(
      'How the visits ended',
      [...record.endings].sort(([, a], [, b]) => b - a),
    ),
    ...table('The sale', [
      ['seats', after.capacity],
      ['sold before', before.sold],
      ['sold to the crowd, each once', tickets],
      ...(others ? ([['sold to other fans meanwhile', others]] as [string, number][]) : []),
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
  if (record.retries.size) lines.push(...table('Requests that were retried', [...record.retries]))
  if (record.errors.size) lines.push(...table('Errors that stopped a fan', [...record.errors]))
  if (sale.state !== 'SOLD_OUT') {
    lines.push(
      `Not sold out: ${after.available + after.held} seats are left, and every fan has gone home.`,
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
    'Latency in milliseconds, as the crowd measured it',
    `  ${''.padEnd(18)}   count    p50    p95    p99    max`,
    ...rows,
    `  ${'delay of the surge'.padEnd(18)}${''.padStart(8)}${own.join('')}`,
    '',
  ]
}

function estimates({ estimates, halfway }: CrowdRecord): string[] {
  const waited = estimates.filter((one): one is { estimated: number; waited: number } => one.waited !== null)
  const never = estimates.length - waited.length
  const off = ascending(waited.map(({ estimated, waited }) => Math.abs(waited - estimated)))
  const estimated = ascending(waited.map((one) => one.estimated))
  const actual = ascending(waited.map((one) => one.waited))
  const seconds = (value: number) => (Number.isNaN(value) ? '–' : `${value.toFixed(0)} s`)
  const wrong = wrongShares(halfway)
  return table('The first estimate of the wait, and the actual wait', [
    ['fans with an estimate, admitted', waited.length],
    ['estimate, p50', seconds(percentile(estimated, 0.5))],
    ['actual wait, p50', seconds(percentile(actual, 0.5))],
    ['error, p50', seconds(percentile(off, 0.5))],
    ['error, p90', seconds(percentile(off, 0.9))],
    ['fans with an estimate, not admitted', never],
    ['half-way: fans with an estimate', wrong.length],
    ['half-way: error, p50', percent(percentile(wrong, 0.5))],
    ['half-way: error, p90', percent(percentile(wrong, 0.9))],
    ['half-way: fans without an estimate', halfway.length - wrong.length],
  ])
}

/** The errors of the estimates at half-way, as shares of the remaining wait. */
function wrongShares(halfway: readonly HalfwayEstimate[]): number[] {
  return ascending(
    halfway.flatMap(({ estimated, waited }) =>
      estimated === null ? [] : [Math.abs(estimated - waited) / waited],
    ),
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

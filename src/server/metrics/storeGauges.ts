import type { App } from '../../app.ts'
import { keptRead } from '../../async/keptReads.ts'
import type { SaleFigures } from '../../sale/ops/saleMetrics.ts'
import { countOpenLetters } from '../../sql/deadLetters.ts'
import { readPaying } from '../../sql/orders.ts'
import { readOutboxLag } from '../../sql/outbox.ts'
import type { Gauges, Labels } from './gauges.ts'

/** Events in the metrics, those that open last: a label with a value for every event ever sold would never end. */
export const MOST_EVENTS = 50
/** One look serves all gauges of one reading. */
const LOOK_MS = 500

/** What waits in the stores: of every process the same numbers. */
export function registerStoreGauges({ db }: Pick<App, 'db'>, gauges: Gauges): void {
  const outbox = keptRead(LOOK_MS, () => readOutboxLag(db))
  gauges.gauge('fairgate_outbox_rows', 'Rows that wait in the outbox.', async () => (await outbox()).rows)
  gauges.gauge(
    'fairgate_outbox_lag_seconds',
    'Age of the oldest row in the outbox: over 10 is worth waking somebody.',
    async () => (await outbox()).oldestSeconds,
  )
  const paying = keptRead(LOOK_MS, () => readPaying(db))
  gauges.gauge(
    'fairgate_orders_paying',
    'Orders that wait for the payment provider.',
    async () => (await paying()).orders,
  )
  gauges.gauge(
    'fairgate_orders_paying_oldest_seconds',
    'Age of the oldest of them: over 600 is worth waking somebody.',
    async () => (await paying()).oldestSeconds,
  )
  gauges.gauge('fairgate_dead_letters', 'Jobs that failed for good and wait for ops.', () =>
    countOpenLetters(db),
  )
}

type Watched = Pick<App, 'sales' | 'saleMetrics' | 'load' | 'db'>

/** Where each active sale stands, as this process knows it, and what the pacer's controller goes by. */
export function registerSaleGauges({ sales, saleMetrics, load, db }: Watched, gauges: Gauges): void {
  const figures = keptRead(LOOK_MS, async () => {
    const events = (await sales.active()).slice(0, MOST_EVENTS)
    const found = await Promise.all(
      // One that cannot be read leaves its numbers out.
      events.map(async (event) => [{ event }, await saleMetrics.figures(event).catch(() => null)] as const),
    )
    return found.flatMap(([labels, now]) => (now ? [[labels, now] as const] : []))
  })
  const strains = keptRead(LOOK_MS, () =>
    figures().then((found) =>
      Promise.all(found.map(async ([labels]) => [labels, await load.recent(labels.event)] as const)),
    ),
  )

  function ofSale(name: string, help: string, value: (now: SaleFigures) => number) {
    gauges.gaugeOf(`fairgate_sale_${name}`, help, ['event'], async () =>
      (await figures()).map(([labels, now]) => [labels, value(now)] as const),
    )
  }
  ofSale('rate', 'Places a second that the pacer allows now.', ({ rate }) => rate)
  ofSale('rate_ceiling', 'Places a second that ops allow at most.', ({ rateCeiling }) => rateCeiling)
  gauges.gaugeOf(
    'fairgate_sale_rate_info',
    'Why the rate is under its ceiling, one for each reason; no series while it is not.',
    ['event', 'reason'],
    async () =>
      (await figures()).flatMap(([labels, { rateReasons }]) =>
        rateReasons.map((reason) => [{ ...labels, reason }, 1] as const),
      ),
  )
  ofSale('admitted_up_to', 'Everybody at or before this place has been called.', (now) => now.admittedUpTo)
  ofSale('waiting', 'People in the line who are not called yet.', ({ waiting }) => waiting)
  ofSale('inside', 'Admissions alive.', ({ inside }) => inside)
  ofSale('available', 'Seats and places that nobody holds or owns.', ({ available }) => available)
  ofSale('held', 'Seats and places in holds.', ({ held }) => held)
  ofSale('sold', 'Seats and places sold.', ({ sold }) => sold)

  // What the controller goes by: of the last ten seconds and all processes; no series where nothing was measured.
  gauges.gaugeOf(
    'fairgate_sale_checkout_p99_seconds',
    'What 99 in 100 checkouts of the last ten seconds took at most.',
    ['event'],
    async () => (await strains()).flatMap(([labels, now]) => measured(labels, inSeconds(now.checkoutP99Ms))),
  )
  gauges.gaugeOf(
    'fairgate_provider_refused_share',
    'Of what the payment provider was asked to authorize in the last ten seconds.',
    [],
    async () => (await strains()).slice(0, 1).flatMap(([, now]) => measured({}, now.providerRefusedShare)),
  )
  gauges.gaugeOf(
    'fairgate_pool_wait_seconds',
    'What 95 in 100 waited at most for a connection to the database in the last ten seconds.',
    [],
    async () => (await strains()).slice(0, 1).flatMap(([, now]) => measured({}, inSeconds(now.poolWaitMs))),
  )
  gauges.gauge(
    'fairgate_pool_waiting',
    'Requests of this process that wait for a connection to the database.',
    () => db.pool.waitingCount,
  )
}

function measured(labels: Labels, value: number | null): [Labels, number][] {
  return value === null ? [] : [[labels, value]]
}

function inSeconds(ms: number | null): number | null {
  return ms && ms / 1_000
}

import type { App } from '../../app.ts'
import { keptRead } from '../../async/singleFlight.ts'
import type { SaleFigures } from '../../sale/ops/saleMetrics.ts'
import { readHoarding } from '../../sql/holds/holders.ts'
import { countOpenLetters } from '../../sql/ops/deadLetters.ts'
import { readOutboxLag } from '../../sql/ops/outbox.ts'
import { readOwedRefundFigures } from '../../sql/orders/refunds.ts'
import { readPaying } from '../../sql/orders/unsettledOrders.ts'
import type { Gauges, Labels } from './gauges.ts'

/** The most events in the metrics, those that open last: a label with every past event would grow without end. */
export const MOST_EVENTS = 50
/** One read serves all gauges of one request. */
const SHARED_MS = 500

/** Reading the signs of hoarding costs a look at every live hold. */
const HOARDING_SHARED_MS = 5_000

/** Gauges of the rows that wait in the stores. Every process reports the same numbers. */
export function registerStoreGauges({ db }: Pick<App, 'db'>, gauges: Gauges): void {
  const outbox = keptRead(SHARED_MS, () => readOutboxLag(db))
  gauges.gauge('fairgate_outbox_rows', 'Rows that wait in the outbox.', async () => (await outbox()).rows)
  gauges.gauge(
    'fairgate_outbox_lag_seconds',
    'Age of the oldest row in the outbox. Page ops above 10.',
    async () => (await outbox()).oldestSeconds,
  )
  const paying = keptRead(SHARED_MS, () => readPaying(db))
  gauges.gauge(
    'fairgate_orders_paying',
    'Orders that wait for the payment provider, or for their buyer.',
    async () => (await paying()).orders,
  )
  gauges.gauge(
    'fairgate_orders_paying_oldest_seconds',
    'Age of the oldest order that waits for the payment provider, or whose buyer is too late. Page ops above 600.',
    async () => (await paying()).oldestSeconds,
  )
  const refunds = keptRead(SHARED_MS, () => readOwedRefundFigures(db))
  gauges.gauge(
    'fairgate_refunds_owed',
    'Refunds that the payment provider has not reported as done.',
    async () => (await refunds()).owed,
  )
  gauges.gauge(
    'fairgate_refunds_refused',
    'Refunds that the payment provider refuses for good: fans wait for their money. Page ops above 0.',
    async () => (await refunds()).refused,
  )
  gauges.gauge('fairgate_dead_letters', 'Jobs that failed for good and wait for ops.', () =>
    countOpenLetters(db),
  )
}

type SaleSources = Pick<App, 'sales' | 'saleMetrics' | 'load' | 'db'>

/** Gauges of each active sale, as this process knows it, and of the inputs of the pacer's controller. */
export function registerSaleGauges({ sales, saleMetrics, load, db }: SaleSources, gauges: Gauges): void {
  // The first gauge, so that it does not count the reads of the others.
  gauges.gauge(
    'fairgate_pool_waiting',
    'Requests of this process that wait for a connection to the database.',
    () => db.pool.waitingCount,
  )
  const figures = keptRead(SHARED_MS, async () => {
    const events = (await sales.active()).slice(0, MOST_EVENTS)
    const found = await Promise.all(
      // An event that cannot be read leaves out its own numbers only.
      events.map(async (event) => [{ event }, await saleMetrics.figures(event).catch(() => null)] as const),
    )
    return found.flatMap(([labels, now]) => (now ? [[labels, now] as const] : []))
  })
  const strains = keptRead(SHARED_MS, () =>
    figures().then((found) =>
      Promise.all(found.map(async ([labels]) => [labels, await load.recent(labels.event)] as const)),
    ),
  )

  function ofSale(name: string, help: string, value: (now: SaleFigures) => number) {
    gauges.gaugeOf(`fairgate_sale_${name}`, help, ['event'], async () =>
      (await figures()).map(([labels, now]) => [labels, value(now)] as const),
    )
  }
  ofSale('rate', 'Places per second that the pacer calls now.', ({ rate }) => rate)
  ofSale('rate_ceiling', 'Upper limit of that rate, set by ops.', ({ rateCeiling }) => rateCeiling)
  gauges.gaugeOf(
    'fairgate_sale_rate_info',
    'Reasons why the rate is below its ceiling, one series each; none while the rate is at its ceiling.',
    ['event', 'reason'],
    async () =>
      (await figures()).flatMap(([labels, { rateReasons }]) =>
        rateReasons.map((reason) => [{ ...labels, reason }, 1] as const),
      ),
  )
  ofSale('admitted_up_to', 'Every place up to this one has been called.', (now) => now.admittedUpTo)
  ofSale('waiting', 'Fans in the line who are not called yet.', ({ waiting }) => waiting)
  ofSale('inside', 'Valid admissions.', ({ inside }) => inside)
  ofSale(
    'available',
    'Seats and general admission units that are neither held nor sold.',
    ({ available }) => available,
  )
  ofSale('held', 'Seats and general admission units in holds.', ({ held }) => held)
  ofSale('sold', 'Seats and general admission units sold.', ({ sold }) => sold)

  const hoarding = keptRead(HOARDING_SHARED_MS, async () => {
    const events = (await sales.active()).slice(0, MOST_EVENTS)
    const found = new Map((await readHoarding(db, events)).map((signs) => [signs.eventId, signs]))
    return events.map((event) => [{ event }, found.get(event)] as const)
  })
  gauges.gaugeOf(
    'fairgate_sale_held_by_one_origin',
    'Seats in the live holds of the one address or device that has the most.',
    ['event'],
    async () => (await hoarding()).map(([labels, signs]) => [labels, signs?.byOneOrigin ?? 0] as const),
  )
  gauges.gaugeOf(
    'fairgate_sale_held_by_non_payers',
    'Seats in live holds of accounts that let at least two holds end unpaid, and have no ticket.',
    ['event'],
    async () => (await hoarding()).map(([labels, signs]) => [labels, signs?.byNonPayers ?? 0] as const),
  )

  // Inputs of the controller: from the last ten seconds and all processes. No series where nothing was measured.
  gauges.gaugeOf(
    'fairgate_sale_checkout_p99_seconds',
    '99th percentile of the time of checkouts in the last ten seconds.',
    ['event'],
    async () => (await strains()).flatMap(([labels, now]) => measured(labels, inSeconds(now.checkoutP99Ms))),
  )
  gauges.gaugeOf(
    'fairgate_provider_refused_share',
    'Share of authorizations that the payment provider refused in the last ten seconds.',
    [],
    async () => (await strains()).slice(0, 1).flatMap(([, now]) => measured({}, now.providerRefusedShare)),
  )
  gauges.gaugeOf(
    'fairgate_pool_wait_seconds',
    '95th percentile of the wait for a connection to the database in the last ten seconds.',
    [],
    async () => (await strains()).slice(0, 1).flatMap(([, now]) => measured({}, inSeconds(now.poolWaitMs))),
  )
}

function measured(labels: Labels, value: number | null): [Labels, number][] {
  return value === null ? [] : [[labels, value]]
}

function inSeconds(ms: number | null): number | null {
  return ms && ms / 1_000
}

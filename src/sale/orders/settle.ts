import type { Logger } from 'pino'
import { type PaymentProvider, type Payments, ProviderBusy } from '../../payments/provider.ts'
import { channels } from '../../redis/keys.ts'
import type { Publish } from '../../redis/publisher.ts'
import type { Database } from '../../sql/database.ts'
import {
  declineOrder,
  emitUnsettled,
  type PaymentRow,
  readPayment,
  sellOrder,
  takeStuckOrders,
} from '../../sql/orders.ts'
import { eventOf } from '../ids.ts'
import type { PublishOrderChange } from './orderChanges.ts'

export interface SettlerDeps {
  db: Database
  payments: Payments
  publish: Publish
  publishChange: PublishOrderChange
  log: Logger
}

export interface Settler {
  /**
   * Settles a PAYING order: sends one authorize, the same at every call, and then sells or declines by its answer.
   * Leaves a settled order as it is.
   *
   * Throws the error of `authorize`: then the outcome is unknown, and the order is still PAYING.
   */
  settle(orderId: string): Promise<void>
  /** Settles the orders that have been PAYING for too long. `waiting` counts the orders that still have no answer. */
  settleStuck(): Promise<{ settled: number; waiting: number }>
  /** Re-emits the jobs that the outbox handed over and Redis then lost. Returns the number of orders. */
  emitAgain(): Promise<number>
}

/** The part of an order that paying for it needs. */
export type PayableOrder = Pick<
  PaymentRow,
  'id' | 'eventId' | 'holdId' | 'state' | 'amount' | 'currency' | 'paymentMethod'
>

/** Longer than a checkout retries by itself; shorter than a fan's patience. */
const STUCK_AFTER_SECONDS = 20
/** Longer than a capture takes in normal operation, with its first retries. */
const UNSETTLED_AFTER_SECONDS = 120
const AT_ONCE = 10
/** The most orders re-emitted in one statement; the next run re-emits the rest. */
const BATCH = 1_000

export function createSettler({ db, payments, publish, publishChange, log }: SettlerDeps): Settler {
  async function settle(orderId: string): Promise<void> {
    const eventId = eventOf('ord', orderId)
    const order = eventId && (await readPayment(db, eventId, orderId))
    if (order) await pay({ db, publishChange }, order, payments.authorize)
  }

  return {
    settle,

    async settleStuck() {
      const total = { settled: 0, waiting: 0 }
      let busy = false
      async function settleOne(orderId: string) {
        try {
          await settle(orderId)
          total.settled += 1
        } catch (error) {
          total.waiting += 1
          if (error instanceof ProviderBusy) busy = true
          else log.warn({ orderId, err: error }, 'an order is still waiting for its authorization')
        }
      }
      // While the provider is at its limit or known to be down, the next orders would get the same answer.
      while (!busy) {
        const stuck = await takeStuckOrders(db, STUCK_AFTER_SECONDS, AT_ONCE)
        if (stuck.length === 0) break
        await Promise.all(stuck.map(settleOne))
      }
      return total
    },

    async emitAgain() {
      const emitted = await emitUnsettled(db, UNSETTLED_AFTER_SECONDS, BATCH)
      if (emitted > 0) publish(channels.outbox, '')
      return emitted
    },
  }
}

/**
 * Authorizes a PAYING order, then sells or declines it. No transaction is open while the provider works.
 * Safe at any time and from several processes at once: the order's id is the provider's idempotency key, and the guards
 * of the transitions let one process through.
 */
export async function pay(
  { db, publishChange }: Pick<SettlerDeps, 'db' | 'publishChange'>,
  order: PayableOrder,
  authorize: PaymentProvider['authorize'],
): Promise<void> {
  if (order.state !== 'PAYING') return
  const { eventId, id: orderId, holdId, amount, currency, paymentMethod } = order
  if (amount === 0n) return sell(null)
  // The payment method is cleared only when the order settles.
  if (paymentMethod === null) throw new Error(`order ${orderId} is PAYING and has no payment method`)

  const answer = await authorize({ orderId, amount: { amount, currency }, paymentMethod })
  if (answer.outcome === 'authorized') return sell(answer)
  const { declined, changes } = await declineOrder(db, eventId, orderId, answer.reason)
  if (declined) publishChange({ eventId, orderId, holdId, changes })

  async function sell(authorization: { authorizationId: string; authorizedUntil: Date } | null) {
    const { outcome, changes, endedArrival } = await sellOrder(db, eventId, orderId, authorization)
    if (outcome === 'settled') return
    publishChange({
      eventId,
      orderId,
      holdId,
      changes,
      endedArrival,
      outbox: authorization !== null,
    })
  }
}

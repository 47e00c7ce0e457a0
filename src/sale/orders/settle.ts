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
import type { Announce } from './announce.ts'

export interface SettlerDeps {
  db: Database
  payments: Payments
  publish: Publish
  announce: Announce
  log: Logger
}

export interface Settler {
  /**
   * Takes a PAYING order to its end with one authorize, the same one at every call, and the sale or the
   * decline that follows from its answer. An order that is settled already is left as it is.
   *
   * Throws what `authorize` throws: the outcome is unknown then, and the order still PAYING.
   */
  settle(orderId: string): Promise<void>
  /** Settles the orders that have been PAYING for too long. `waiting`: those tried that have still no answer. */
  settleStuck(): Promise<{ settled: number; waiting: number }>
  /** Hands on once more what the outbox handed over and Redis then lost. Returns how many orders. */
  emitAgain(): Promise<number>
}

/** What an authorize of an order has to know, and what is told of it. */
export type PayableOrder = Pick<
  PaymentRow,
  'id' | 'eventId' | 'holdId' | 'state' | 'amount' | 'currency' | 'paymentMethod'
>

/** Longer than a checkout tries by itself; sooner than a fan gives up watching. */
const STUCK_AFTER_SECONDS = 20
/** Longer than a capture takes while nothing is wrong, its first retries included. */
const UNSETTLED_AFTER_SECONDS = 120
const AT_ONCE = 10
/** Orders that are handed on in one statement; the next run hands on the rest. */
const BATCH = 1_000

export function createSettler({ db, payments, publish, announce, log }: SettlerDeps): Settler {
  async function settle(orderId: string): Promise<void> {
    const eventId = eventOf('ord', orderId)
    const order = eventId && (await readPayment(db, eventId, orderId))
    if (order) await pay({ db, announce }, order, payments.authorize)
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
      // While the provider is at its limit or known to be down, the next orders would hear the same.
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
 * Authorizes a PAYING order and sells or declines it, with no transaction open while the provider thinks.
 * Safe at any time and from several processes at once: the provider knows the order's id as its
 * idempotency key, and the guards of the transitions let one of them through.
 */
export async function pay(
  { db, announce }: Pick<SettlerDeps, 'db' | 'announce'>,
  order: PayableOrder,
  authorize: PaymentProvider['authorize'],
): Promise<void> {
  if (order.state !== 'PAYING') return
  const { eventId, id: orderId, holdId, amount, currency, paymentMethod } = order
  if (amount === 0n) return sell(null)
  // Only a settled order has lost its card.
  if (paymentMethod === null) throw new Error(`order ${orderId} is PAYING and has no payment method`)

  const answer = await authorize({ orderId, amount: { amount, currency }, paymentMethod })
  if (answer.outcome === 'authorized') return sell(answer)
  if (await declineOrder(db, eventId, orderId, answer.reason)) announce({ eventId, orderId, holdId })

  async function sell(authorization: { authorizationId: string; authorizedUntil: Date } | null) {
    const { outcome, changes } = await sellOrder(db, eventId, orderId, authorization)
    if (outcome === 'settled') return
    announce({
      eventId,
      orderId,
      holdId,
      changes,
      outbox: authorization !== null,
    })
  }
}

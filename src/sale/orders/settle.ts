import type { Logger } from 'pino'
import { ProviderBusy } from '../../payments/provider.ts'
import { channels } from '../../redis/keys.ts'
import type { Publish } from '../../redis/publisher.ts'
import type { Database } from '../../sql/database/database.ts'
import { endOrder } from '../../sql/orders/orderTransitions.ts'
import {
  emitUnsettled,
  type PaymentRow,
  readOverdueOrders,
  readPayment,
  readPaymentByIntent,
  takeStuckOrders,
} from '../../sql/orders/unsettledOrders.ts'
import { eventOf } from '../ids.ts'
import type { Capture } from './capture.ts'
import type { PublishOrderChange } from './orderChanges.ts'
import type { Payment, Progress } from './payment.ts'
import type { Refunds } from './refunds.ts'

export interface SettlerDeps {
  db: Database
  payment: Payment
  capture: Pick<Capture, 'readMoney'>
  refunds: Pick<Refunds, 'refundOwed' | 'readRefundsByHand'>
  publish: Publish
  publishChange: PublishOrderChange
  log: Logger
}

export interface Settler {
  /**
   * Settles a PAYING order, as far as the provider can decide it: see `advance` in payment.ts. Leaves a settled order as it is.
   *
   * Throws the provider's error: then the outcome is unknown, and the order is still PAYING.
   */
  settle(orderId: string): Promise<Progress>
  /**
   * Reads an intent again from its provider, after any sign that it changed: a webhook, the buyer's return. The sign itself is
   * not trusted, so it may be forged, late, doubled or out of order. False where no order of this installation has the
   * intent. Throws the provider's error.
   *
   * It also records what ops did by hand at the provider, for an order whose dead letter they discarded.
   */
  paymentChanged(provider: string, intentId: string): Promise<boolean>
  /** Returns the event of the order with this id, or with this intent; null where there is none. Any caller can invent an id. */
  eventOfOrder(orderId: string): Promise<string | null>
  eventOfIntent(provider: string, intentId: string): Promise<string | null>
  /** Settles the orders that have been PAYING for too long. `waiting` counts the orders that still have no answer. */
  settleStuck(): Promise<{ settled: number; waiting: number }>
  /** Ends the PAYING orders whose seats other fans have taken, without the provider. Returns their number. */
  endLost(): Promise<number>
  /** Re-emits the jobs that the outbox handed over and Redis then lost. Returns their number. */
  emitAgain(): Promise<number>
}

/** Longer than a checkout retries by itself; shorter than a fan's patience. */
const STUCK_AFTER_SECONDS = 20
/** Longer than a capture takes in normal operation, with its first retries. */
const UNSETTLED_AFTER_SECONDS = 120
const AT_ONCE = 10
/** The most orders re-emitted in one statement; the next run re-emits the rest. */
const BATCH = 1_000

export function createSettler({
  db,
  payment,
  capture,
  refunds,
  publish,
  publishChange,
  log,
}: SettlerDeps): Settler {
  async function settleRow(order: PaymentRow | null | undefined | ''): Promise<Progress> {
    return order ? payment.advance(order) : 'settled'
  }

  async function settle(orderId: string): Promise<Progress> {
    const eventId = eventOf('ord', orderId)
    return settleRow(eventId && (await readPayment(db, eventId, orderId)))
  }

  return {
    settle,

    async eventOfOrder(orderId) {
      const eventId = eventOf('ord', orderId)
      return eventId && (await readPayment(db, eventId, orderId)) ? eventId : null
    },

    async eventOfIntent(provider, intentId) {
      return (await readPaymentByIntent(db, provider, intentId))?.eventId ?? null
    },

    async paymentChanged(provider, intentId) {
      const order = await readPaymentByIntent(db, provider, intentId)
      if (!order) return false
      await settleRow(order)
      await capture.readMoney(order)
      if (order.payment === 'REFUND_OWED') {
        await refunds.readRefundsByHand(order)
        await refunds.refundOwed(order)
      }
      return true
    },

    async settleStuck() {
      const total = { settled: 0, waiting: 0 }
      const busy = new Set<string>()
      async function settleOne({ id: orderId, provider }: { id: string; provider: string }) {
        try {
          if ((await settle(orderId)) === 'settled') total.settled += 1
          else total.waiting += 1
        } catch (error) {
          total.waiting += 1
          if (error instanceof ProviderBusy) busy.add(provider)
          else log.warn({ orderId, err: error }, 'an order is still waiting for its authorization')
        }
      }
      for (;;) {
        const stuck = await takeStuckOrders(db, STUCK_AFTER_SECONDS, [...busy], AT_ONCE)
        if (stuck.length === 0) return total
        await Promise.all(stuck.map(settleOne))
      }
    },

    async endLost() {
      let ended = 0
      for (const { eventId, id: orderId, holdId } of await readOverdueOrders(db)) {
        const { done, changes, outbox } = await endOrder(db, eventId, orderId, 'LOST', { cancelled: null })
        if (!done) continue
        ended += 1
        publishChange({ eventId, orderId, holdId, changes, outbox })
      }
      return ended
    },

    async emitAgain() {
      const emitted = await emitUnsettled(db, UNSETTLED_AFTER_SECONDS, BATCH)
      if (emitted > 0) publish(channels.outbox, '')
      return emitted
    },
  }
}

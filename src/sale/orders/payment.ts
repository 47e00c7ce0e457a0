import type { Logger } from 'pino'
import type { DeclineReason } from '../../declineReason.ts'
import type { ProviderCalls } from '../../payments/guard.ts'
import { CannotCharge, type PaymentStatus } from '../../payments/provider.ts'
import type { Payments } from '../../payments/registry.ts'
import type { Database } from '../../sql/database/database.ts'
import {
  declineOrder,
  type EndOfOrder,
  endOrder,
  sellOrder,
  storeAction,
  storeIntent,
} from '../../sql/orders/orderTransitions.ts'
import { type PaymentRow, readPayment } from '../../sql/orders/unsettledOrders.ts'
import type { PublishOrderChange } from './orderChanges.ts'

export interface PaymentDeps {
  db: Database
  payments: Pick<Payments, 'of'>
  /** The address of this server, to which the provider sends the buyer after an action. */
  publicUrl: string
  publishChange: PublishOrderChange
  log: Logger
}

/** Where an order stands: settled, waiting for its provider, or waiting for its buyer. */
export type Progress = 'settled' | 'waits_for_provider' | 'waits_for_buyer'

/** Returns the path to which a provider sends the buyer of an order after an action. */
const returnPath = (orderId: string) => `/payments/return/${orderId}`

export interface Payment {
  /**
   * Does what a PAYING order needs next: makes its intent, sends its card, or reads from the provider where it stands. Then it
   * sells, declines or ends the order, or leaves it waiting. A settled order is left as it is.
   *
   * Safe at any time and from several processes at once: the intent is stored before it is confirmed, only the stored one is
   * confirmed, and the guards of the transitions let one process through. No transaction is open while the provider works.
   *
   * A payment that is late is cancelled where the provider cannot decide it. Where the provider does not even answer until the
   * order's hold is over, the order ends first, and the cancel follows from the outbox.
   *
   * An amount that the provider cannot take at all declines the order, with an error in the log.
   *
   * Throws the provider's error: then the outcome is unknown, and the order is still PAYING. `calls`: default: the order's
   * provider.
   */
  advance(order: PaymentRow, calls?: ProviderCalls): Promise<Progress>
  /**
   * Cancels the payment of an order that waits for its buyer, so that the hold can be paid in another way. Whatever the provider
   * reports decides: an approval that came first is sold. Throws the provider's error.
   */
  abandon(order: PaymentRow): Promise<void>
  /** Sells an order, or finds its seats gone, by an authorization that is certain; null where the order costs nothing. */
  sell(order: PaymentRow, authorizedUntil: Date | null): Promise<void>
}

/** For money that the provider has taken already: its capture will report that it is done. */
const TAKEN_UNTIL_MS = 7 * 86_400_000

export function createPayment({ db, payments, publicUrl, publishChange, log }: PaymentDeps): Payment {
  async function sell({ eventId, id: orderId, holdId }: PaymentRow, authorizedUntil: Date | null) {
    const { outcome, changes, endedArrival } = await sellOrder(db, eventId, orderId, authorizedUntil)
    if (outcome === 'settled') return
    const outbox = authorizedUntil !== null
    publishChange({ eventId, orderId, holdId, changes, endedArrival, outbox })
  }

  async function decline(
    { eventId, id: orderId, holdId }: PaymentRow,
    reason: DeclineReason,
    cancelled: boolean,
  ) {
    const { done, changes, outbox } = await declineOrder(db, eventId, orderId, reason, { cancelled })
    if (done) publishChange({ eventId, orderId, holdId, changes, outbox })
  }

  async function end(order: PaymentRow, when: EndOfOrder, cancelled: string | null): Promise<boolean> {
    const { eventId, id: orderId, holdId } = order
    const { done, changes, outbox } = await endOrder(db, eventId, orderId, when, { cancelled })
    if (done) publishChange({ eventId, orderId, holdId, changes, outbox })
    return done
  }

  /** Null where the order was settled meanwhile, so that no card may be sent. */
  async function begin(order: PaymentRow, calls: ProviderCalls): Promise<PaymentStatus | null> {
    const { intentId } = await calls.prepare(parameters(order))
    if (await storeIntent(db, order.eventId, order.id, intentId))
      return calls.confirm({ ...parameters(order), intentId })
    // Another process has stored its own. The intent made here is never confirmed, and holds nothing.
    const now = await readPayment(db, order.eventId, order.id)
    return now?.state === 'PAYING' && now.intentId !== null ? look(now, now.intentId, calls) : null
  }

  async function look(order: PaymentRow, intentId: string, calls: ProviderCalls): Promise<PaymentStatus> {
    const payment = await calls.retrieve({ eventId: order.eventId, intentId })
    // An account or a key of the provider was changed: the money, if any, is where this one cannot see it.
    if (!payment) throw new Error(`${order.provider} has no payment ${intentId}`)
    const { status } = payment
    if (status.state !== 'unconfirmed' || order.isLate) return status
    return calls.confirm({ ...parameters(order), intentId })
  }

  function parameters(order: PaymentRow) {
    const { id: orderId, eventId, amount, currency, paymentMethod } = order
    // The payment method is cleared only when the order settles.
    if (paymentMethod === null) throw new Error(`order ${orderId} is PAYING and has no payment method`)
    const returnUrl = `${publicUrl}${returnPath(orderId)}`
    return { orderId, eventId, amount: { amount, currency }, paymentMethod, returnUrl }
  }

  async function apply(order: PaymentRow, status: PaymentStatus, calls: ProviderCalls): Promise<Progress> {
    switch (status.state) {
      case 'authorized':
        await sell(order, status.authorizedUntil)
        return 'settled'
      case 'captured':
        await sell(order, new Date(Date.now() + TAKEN_UNTIL_MS))
        return 'settled'
      case 'declined':
        await decline(order, status.reason, false)
        return 'settled'
      case 'cancelled':
        await decline(order, order.waitsForBuyer ? 'AUTHENTICATION_FAILED' : 'TRY_LATER', true)
        return 'settled'
    }
    if (order.isLate) {
      await cancelLate(order, calls)
      return 'settled'
    }
    const action = status.state === 'action_required' ? status.action : null
    const { eventId, id: orderId } = order
    if (await storeAction(db, eventId, orderId, action)) publishChange({ eventId, orderId, holdId: null })
    return action ? 'waits_for_buyer' : 'waits_for_provider'
  }

  async function cancelLate(order: PaymentRow, calls: ProviderCalls): Promise<void> {
    const intentId = await storedIntent(order)
    const result = intentId === null ? 'cancelled' : await calls.cancel({ eventId: order.eventId, intentId })
    if (result === 'captured') await sell(order, new Date(Date.now() + TAKEN_UNTIL_MS))
    else await end(order, 'NOW', intentId)
  }

  async function storedIntent(order: PaymentRow): Promise<string | null> {
    return order.intentId ?? (await readPayment(db, order.eventId, order.id))?.intentId ?? null
  }

  return {
    sell,

    async advance(order, calls) {
      if (order.state !== 'PAYING') return 'settled'
      if (order.amount === 0n) {
        await sell(order, null)
        return 'settled'
      }
      if (order.isOver && (await end(order, 'LOST', null))) return 'settled'
      try {
        const via = calls ?? payments.of(order.provider)
        if (order.intentId === null && order.isLate) {
          await end(order, 'NOW', null)
          return 'settled'
        }
        const status =
          order.intentId === null ? await begin(order, via) : await look(order, order.intentId, via)
        return status === null ? 'settled' : await apply(order, status, via)
      } catch (error) {
        if (error instanceof CannotCharge) {
          log.error({ orderId: order.id, err: error }, 'an order has an amount that its provider cannot take')
          await decline(order, 'OTHER', true)
          return 'settled'
        }
        if (order.isOver && (await end(order, 'OVER', null))) return 'settled'
        throw error
      }
    },

    async abandon(order) {
      if (order.state !== 'PAYING' || order.intentId === null) return
      const result = await payments
        .of(order.provider)
        .cancel({ eventId: order.eventId, intentId: order.intentId })
      if (result === 'captured') await sell(order, new Date(Date.now() + TAKEN_UNTIL_MS))
      else await decline(order, 'AUTHENTICATION_FAILED', true)
    },
  }
}

import type { Logger } from 'pino'
import { type CaptureResult, ProviderBusy } from '../../payments/provider.ts'
import type { Payments } from '../../payments/registry.ts'
import type { Database } from '../../sql/database/database.ts'
import { cancelOrder, markCancelled, markCaptured } from '../../sql/orders/orderTransitions.ts'
import { oweCancelledMoney } from '../../sql/orders/refunds.ts'
import { type PaymentRow, readPayment } from '../../sql/orders/unsettledOrders.ts'
import { eventOf } from '../ids.ts'
import type { PublishOrderChange } from './orderChanges.ts'

export interface CaptureDeps {
  db: Database
  payments: Pick<Payments, 'of'>
  publishChange: PublishOrderChange
  log: Logger
}

/**
 * Moves the money after the order's state. Each call reads the order and does what it still needs, so the calls may run twice,
 * concurrently, late, or in any order. They throw where the outcome is unknown (call again), and ProviderBusy where
 * nothing was sent (call again later).
 */
export interface Capture {
  /**
   * Captures a confirmed order's money. A final refusal by the provider cancels the order: its seats come back and its
   * tickets are void. An unknown outcome cancels the order only once its authorization ends within a day.
   */
  capture(orderId: string): Promise<void>
  /**
   * Cancels the payment of an order that was declined, got no seats or was cancelled. Where the provider has taken the money
   * already, the order owes a refund.
   */
  cancelPayment(orderId: string): Promise<void>
  /**
   * Reads from the provider whether the capture or the cancel that an order waits for is done, and records it. It calls for
   * neither, so it also settles an order that ops have taken over. Throws the provider's error.
   */
  readMoney(order: PaymentRow): Promise<void>
}

export function createCapture({ db, payments, publishChange, log }: CaptureDeps): Capture {
  async function readDue(orderId: string, due: 'CAPTURE' | 'CANCEL') {
    const eventId = eventOf('ord', orderId)
    const order = eventId ? await readPayment(db, eventId, orderId) : null
    // The database lets no money be due without an intent.
    return order?.moneyDue === due ? { ...order, intentId: order.intentId as string } : null
  }

  /**
   * An error is definite where the provider's record shows that the capture was done, or can be no more. Any other error is
   * thrown, except in the authorization's last day. There it counts as a refusal: the cancel that follows returns the money if it
   * was captured after all.
   */
  async function attempt(order: PaymentRow & { intentId: string }): Promise<CaptureResult> {
    const { eventId, intentId, amount, currency, lapsing } = order
    const provider = payments.of(order.provider)
    try {
      return await provider.capture({ eventId, intentId, amount: { amount, currency } })
    } catch (error) {
      if (error instanceof ProviderBusy) throw error
      const state = await provider.retrieve({ eventId, intentId }).then(
        (payment) => payment?.status.state,
        () => undefined,
      )
      if (state === 'captured') return { outcome: 'done' }
      if (state === 'cancelled' || state === 'declined')
        return { outcome: 'refused', reason: `the provider reports the payment as ${state}` }
      if (!lapsing) throw error
      return {
        outcome: 'refused',
        reason: `unknown until the authorization's last day: ${(error as Error).message}`,
      }
    }
  }

  async function recordCaptured({ eventId, id: orderId }: Pick<PaymentRow, 'eventId' | 'id'>) {
    if (await markCaptured(db, eventId, orderId)) publishChange({ eventId, orderId, holdId: null })
  }

  async function recordCancelled({ eventId, id: orderId }: Pick<PaymentRow, 'eventId' | 'id'>) {
    if (await markCancelled(db, eventId, orderId)) publishChange({ eventId, orderId, holdId: null })
  }

  async function cancel({ eventId, id: orderId, holdId }: PaymentRow, reason: string) {
    const { cancelled, changes } = await cancelOrder(db, eventId, orderId)
    if (!cancelled) return
    log.error({ orderId, reason }, 'a confirmed order was cancelled: its money could not be captured')
    publishChange({ eventId, orderId, holdId, changes, outbox: true })
  }

  return {
    async capture(orderId) {
      const order = await readDue(orderId, 'CAPTURE')
      if (!order) return
      const answer = await attempt(order)
      if (answer.outcome === 'refused') return cancel(order, answer.reason)
      await recordCaptured(order)
    },

    async cancelPayment(orderId) {
      const order = await readDue(orderId, 'CANCEL')
      if (!order) return
      const { eventId, intentId } = order
      const provider = payments.of(order.provider)
      if ((await provider.cancel({ eventId, intentId })) === 'cancelled') return recordCancelled(order)
      const payment = await provider.retrieve({ eventId, intentId })
      if (!payment)
        throw new Error(`${order.provider} reports ${intentId} as captured, and has no such payment`)
      let owed = payment.captured
      if (owed > order.amount) owed = order.amount
      const isOwed = await oweCancelledMoney(db, {
        eventId,
        // The same at each run: the money is owed once.
        id: `rfd${orderId.slice('ord'.length)}`,
        orderId,
        idempotencyKey: 'cancelled order',
        amount: owed,
        reason: 'The provider had taken the money before the payment was cancelled.',
      })
      if (isOwed) publishChange({ eventId, orderId, holdId: null, outbox: true })
    },

    async readMoney(order) {
      if (order.moneyDue === null) return
      const intentId = order.intentId as string
      const payment = await payments.of(order.provider).retrieve({ eventId: order.eventId, intentId })
      const state = payment?.status.state
      if (order.moneyDue === 'CAPTURE' && state === 'captured') await recordCaptured(order)
      if (order.moneyDue === 'CANCEL' && state === 'cancelled') await recordCancelled(order)
    },
  }
}

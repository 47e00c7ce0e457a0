import type { Logger } from 'pino'
import { type PaymentProvider, ProviderBusy } from '../../payments/provider.ts'
import type { Database } from '../../sql/database.ts'
import { cancelOrder, markCaptured, markVoided, type PaymentRow, readPayment } from '../../sql/orders.ts'
import { eventOf } from '../ids.ts'
import type { PublishOrderChange } from './orderChanges.ts'

export interface CaptureDeps {
  db: Database
  payments: PaymentProvider
  publishChange: PublishOrderChange
  log: Logger
}

/**
 * Moves the money after the order's state. Both calls read the order and do what it still needs, so they may run twice,
 * concurrently, late, or in any order. They throw where the outcome is unknown (call again), and ProviderBusy where
 * nothing was sent (call again later).
 */
export interface Capture {
  /**
   * Captures a confirmed order's money. A final refusal by the provider cancels the order: its seats come back and its
   * tickets are void. An unknown outcome cancels the order only once its authorization ends within a day.
   */
  capture(orderId: string): Promise<void>
  /** Voids the authorization of an order that got no seats or was cancelled. */
  voidPayment(orderId: string): Promise<void>
}

export function createCapture({ db, payments, publishChange, log }: CaptureDeps): Capture {
  async function read(orderId: string): Promise<PaymentRow | null> {
    const eventId = eventOf('ord', orderId)
    return eventId ? readPayment(db, eventId, orderId) : null
  }

  /**
   * An unknown outcome is thrown, except in the authorization's last day. There it counts as final: the void that
   * follows refunds the money if it was captured after all.
   */
  async function attempt({ id: orderId, authorizationId, amount, currency, lapsing }: PaymentRow) {
    try {
      return await payments.capture({
        orderId,
        authorizationId: authorizationId as string,
        amount: { amount, currency },
      })
    } catch (error) {
      if (!lapsing || error instanceof ProviderBusy) throw error
      return {
        outcome: 'final' as const,
        reason: `unknown until the authorization's last day: ${(error as Error).message}`,
      }
    }
  }

  async function cancel({ eventId, id: orderId, holdId }: PaymentRow, reason: string) {
    const { cancelled, changes } = await cancelOrder(db, eventId, orderId)
    if (!cancelled) return
    log.error({ orderId, reason }, 'a confirmed order was cancelled: its money could not be captured')
    publishChange({ eventId, orderId, holdId, changes, outbox: true })
  }

  return {
    async capture(orderId) {
      const order = await read(orderId)
      if (order?.state !== 'CONFIRMED' || order.payment !== 'AUTHORIZED') return
      const answer = await attempt(order)
      if (answer.outcome === 'final') return cancel(order, answer.reason)
      const { eventId } = order
      if (await markCaptured(db, eventId, orderId)) publishChange({ eventId, orderId, holdId: null })
    },

    async voidPayment(orderId) {
      const order = await read(orderId)
      if (order?.payment !== 'AUTHORIZED') return
      if (order.state !== 'SEATS_GONE' && order.state !== 'CANCELLED') return
      const { eventId } = order
      const result = await payments.void({ orderId, authorizationId: order.authorizationId as string })
      // Final means that nothing is left to void: an authorization also ends by itself.
      if (result.outcome === 'final') log.warn({ orderId, reason: result.reason }, 'nothing was left to void')
      if (await markVoided(db, eventId, orderId)) publishChange({ eventId, orderId, holdId: null })
    },
  }
}

import type { Logger } from 'pino'
import { type PaymentProvider, ProviderBusy } from '../../payments/provider.ts'
import type { Database } from '../../sql/database.ts'
import { cancelOrder, markCaptured, markVoided, type PaymentRow, readPayment } from '../../sql/orders.ts'
import { eventOf } from '../ids.ts'
import type { Announce } from './announce.ts'

export interface CaptureDeps {
  db: Database
  payments: PaymentProvider
  announce: Announce
  log: Logger
}

/**
 * Lets the money follow the order. Both look at the order and do what it still needs, so they may run
 * twice, at once, late, or in any order. They throw where the outcome is unknown (call again) and
 * ProviderBusy where nothing was sent (call again later).
 */
export interface Capture {
  /**
   * Captures a confirmed order's money. A final no of the provider cancels the order: seats back, tickets
   * void. So does an unknown outcome once the authorization ends within a day; nothing else unknown does.
   */
  capture(orderId: string): Promise<void>
  /** Gives back what is authorized for an order that got no seats or was cancelled. */
  voidPayment(orderId: string): Promise<void>
}

export function createCapture({ db, payments, announce, log }: CaptureDeps): Capture {
  async function read(orderId: string): Promise<PaymentRow | null> {
    const eventId = eventOf('ord', orderId)
    return eventId ? readPayment(db, eventId, orderId) : null
  }

  /** Unknown is no answer, except at the last moment: the void that follows refunds what was captured after all. */
  async function attempt({ id: orderId, authorizationId, amount, currency, lapsing }: PaymentRow) {
    try {
      return await payments.capture({
        orderId,
        authorizationId: authorizationId as string,
        amount: { amount, currency },
      })
    } catch (error) {
      if (!lapsing || error instanceof ProviderBusy) throw error
      return { outcome: 'final' as const, reason: `unknown to the last: ${(error as Error).message}` }
    }
  }

  async function cancel({ eventId, id: orderId, holdId }: PaymentRow, reason: string) {
    const { cancelled, changes } = await cancelOrder(db, eventId, orderId)
    if (!cancelled) return
    log.error({ orderId, reason }, 'a confirmed order was cancelled: its money could not be captured')
    announce({ eventId, orderId, holdId, changes, outbox: true })
  }

  return {
    async capture(orderId) {
      const order = await read(orderId)
      if (order?.state !== 'CONFIRMED' || order.payment !== 'AUTHORIZED') return
      const answer = await attempt(order)
      if (answer.outcome === 'final') return cancel(order, answer.reason)
      const { eventId } = order
      if (await markCaptured(db, eventId, orderId)) announce({ eventId, orderId, holdId: null })
    },

    async voidPayment(orderId) {
      const order = await read(orderId)
      if (order?.payment !== 'AUTHORIZED') return
      if (order.state !== 'SEATS_GONE' && order.state !== 'CANCELLED') return
      const { eventId } = order
      const result = await payments.void({ orderId, authorizationId: order.authorizationId as string })
      // Final: there is nothing left to give back, for an authorization ends by itself as well.
      if (result.outcome === 'final') log.warn({ orderId, reason: result.reason }, 'nothing was left to void')
      if (await markVoided(db, eventId, orderId)) announce({ eventId, orderId, holdId: null })
    },
  }
}

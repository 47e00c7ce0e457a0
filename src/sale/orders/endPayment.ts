import type { Payments } from '../../payments/registry.ts'
import type { Database } from '../../sql/database/database.ts'
import type { OrderState, PaymentState } from '../../sql/orders/orders.ts'
import { endOrderByOps } from '../../sql/orders/orderTransitions.ts'
import { type PaymentRow, readPayment } from '../../sql/orders/unsettledOrders.ts'
import type { Account } from '../caller.ts'
import { badInput, Fault } from '../faults.ts'
import { eventOf } from '../ids.ts'
import { createInputFaults } from '../inputFaults.ts'
import type { PublishOrderChange } from './orderChanges.ts'
import type { Payment } from './payment.ts'

export interface EndedPayment {
  readonly orderId: string
  readonly state: OrderState
  readonly payment: PaymentState
}

export interface EndPayment {
  /**
   * Ends an order that is PAYING, by hand: cancels its payment at the provider, and then frees its seats. The audit trail has it
   * with the reason. Where the provider reports that the money is taken, the order is sold instead.
   *
   * Throws BAD_USER_INPUT where the order is not PAYING, and OVERLOADED where the provider does not answer: then nothing has
   * changed, and the call may be repeated.
   */
  endPayment(actor: Account, input: { orderId: string; reason: string }): Promise<EndedPayment>
}

export interface EndPaymentDeps {
  db: Database
  payments: Pick<Payments, 'of'>
  payment: Pick<Payment, 'sell'>
  publishChange: PublishOrderChange
}

const RETRY_SECONDS = 5
/** The money is taken: its capture will report that it is done. */
const TAKEN_UNTIL_MS = 7 * 86_400_000

export function createEndPayment({ db, payments, payment, publishChange }: EndPaymentDeps): EndPayment {
  async function cancel({ eventId, provider, intentId }: PaymentRow): Promise<'cancelled' | 'captured'> {
    if (intentId === null) return 'cancelled'
    try {
      return await payments.of(provider).cancel({ eventId, intentId })
    } catch (error) {
      throw new Fault(
        'OVERLOADED',
        `The payment provider ${provider} did not cancel the payment (${(error as Error).message}). The order is unchanged: try again.`,
        { retryAfterSeconds: RETRY_SECONDS },
      )
    }
  }

  return {
    async endPayment(actor, { orderId, reason }) {
      const faults = createInputFaults()
      faults.text(['input', 'reason'], reason)
      faults.throwAny()
      const eventId = eventOf('ord', orderId)
      const read = async () => (eventId ? readPayment(db, eventId, orderId) : null)
      const order = await read()
      const fault = (message: string) => badInput({ path: ['input', 'orderId'], message })
      if (!order || !eventId) throw fault('There is no such order.')
      if (order.state !== 'PAYING')
        throw fault(`The order is ${order.state}: only a PAYING order can be ended.`)

      if ((await cancel(order)) === 'captured') {
        await payment.sell(order, new Date(Date.now() + TAKEN_UNTIL_MS))
      } else {
        const { done, changes, outbox } = await endOrderByOps(db, eventId, orderId, {
          accountId: actor.id,
          reason,
          cancelled: order.intentId,
        })
        if (done) publishChange({ eventId, orderId, holdId: order.holdId, changes, outbox })
      }
      const { state, payment: money } = (await read()) ?? order
      return { orderId, state, payment: money }
    },
  }
}

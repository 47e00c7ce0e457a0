import type { Logger } from 'pino'
import type { Payments } from '../../payments/registry.ts'
import type { Database } from '../../sql/database/database.ts'
import {
  finishRefund,
  markRefundRefused,
  type RefundRow,
  readOwedRefunds,
  readProviderIds,
  readRefund,
  readRefundsLeftToOps,
} from '../../sql/orders/refunds.ts'
import type { PaymentRow } from '../../sql/orders/unsettledOrders.ts'
import { eventOf } from '../ids.ts'
import type { PublishOrderChange } from './orderChanges.ts'

export interface RefundsDeps {
  db: Database
  payments: Pick<Payments, 'of'>
  publishChange: PublishOrderChange
  log: Logger
}

export interface Refunds {
  /**
   * Returns the money of a refund, once, however often it runs. `pending`: the provider has accepted it and will still decide:
   * call again later. Throws RefundRefused where the provider refuses it for good: then the money is still owed, and another
   * call makes another attempt. Throws any other error where the outcome is unknown: call again.
   */
  refundPayment(refundId: string): Promise<'done' | 'pending'>
  /** Runs `refundPayment` for each refund that an order owes. An error is logged: the refund's job calls again. */
  refundOwed(order: { eventId: string; id: string }): Promise<void>
  /**
   * Records refunds that ops took over and made by hand at the provider: a done refund of the same amount that is none of ours.
   * Throws the provider's error.
   */
  readRefundsByHand(order: PaymentRow): Promise<void>
}

/** The provider refused a refund for good: the fan has neither ticket nor money until ops act. */
export class RefundRefused extends Error {
  constructor({ id, orderId }: Pick<RefundRow, 'id' | 'orderId'>, reason: string) {
    super(`the provider refuses the refund ${id} of order ${orderId}: ${reason}`)
    this.name = 'RefundRefused'
  }
}

export function createRefunds({ db, payments, publishChange, log }: RefundsDeps): Refunds {
  async function finish(
    { eventId, id, orderId }: Pick<RefundRow, 'eventId' | 'id' | 'orderId'>,
    providerId: string,
  ): Promise<'done'> {
    if (await finishRefund(db, eventId, id, providerId)) publishChange({ eventId, orderId, holdId: null })
    return 'done'
  }

  async function refuse(refund: RefundRow, reason: string): Promise<never> {
    const { id: refundId, orderId } = refund
    await markRefundRefused(db, refund, reason)
    log.error({ refundId, orderId, reason }, 'a refund was refused: its fan waits for the money')
    throw new RefundRefused(refund, reason)
  }

  async function refundPayment(refundId: string): Promise<'done' | 'pending'> {
    const eventId = eventOf('rfd', refundId)
    const refund = eventId ? await readRefund(db, eventId, refundId) : null
    if (!refund || refund.state === 'DONE') return 'done'
    const { intentId, amount, currency, refusals } = refund
    const provider = payments.of(refund.provider)
    // The record first: an earlier attempt's reply may be lost, and its key forgotten by the provider.
    const payment = await provider.retrieve({ eventId: refund.eventId, intentId })
    if (!payment) throw new Error(`${refund.provider} has no payment ${intentId}`)
    const attempts = payment.refunds.filter((one) => one.refundId?.startsWith(`${refundId}_`))
    const done = attempts.find(({ state }) => state === 'done')
    if (done) return finish(refund, done.providerId)
    if (attempts.some(({ state }) => state === 'pending')) return 'pending'
    const key = `${refundId}_${refusals + 1}`
    if (attempts.some((one) => one.refundId === key)) return refuse(refund, 'it failed at the bank')
    const answer = await provider.refund({
      eventId: refund.eventId,
      intentId,
      refundId: key,
      amount: { amount, currency },
    })
    if (answer.outcome === 'refused') return refuse(refund, answer.reason)
    return answer.outcome === 'done' ? finish(refund, answer.providerId) : 'pending'
  }

  return {
    refundPayment,

    async refundOwed({ eventId, id: orderId }) {
      for (const refundId of await readOwedRefunds(db, eventId, orderId)) {
        await refundPayment(refundId).catch((error) => {
          log.warn({ refundId, err: error }, 'a refund is still owed')
        })
      }
    },

    async readRefundsByHand({ eventId, id: orderId, provider, intentId }) {
      const left = await readRefundsLeftToOps(db, eventId, orderId)
      if (left.length === 0 || intentId === null) return
      const payment = await payments.of(provider).retrieve({ eventId, intentId })
      const used = new Set(await readProviderIds(db, eventId, orderId))
      for (const refund of left) {
        const made = payment?.refunds.find(
          ({ refundId, state, amount, providerId }) =>
            refundId === null && state === 'done' && amount === refund.amount && !used.has(providerId),
        )
        if (!made) continue
        used.add(made.providerId)
        await finish(refund, made.providerId)
      }
    },
  }
}

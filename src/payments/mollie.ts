import type { Money } from '../money.ts'
import { fromMollie, toMollie } from './mollie/amounts.ts'
import {
  type Metadata,
  metadataOf,
  type Payment,
  type Refund,
  toPayment,
  toRefundState,
  toStatus,
} from './mollie/records.ts'
import { isRefusal, loadMollie, type MollieSettings, statusOf } from './mollie/sdk.ts'
import type { PaymentProvider, RefundResult } from './provider.ts'

export interface MollieProviderSettings extends MollieSettings {
  /** Where Mollie reports changes; null where Mollie cannot reach this server: the settler finds the changes then. */
  webhookUrl: string | null
}

/** The most records on one page of Mollie's lists. */
const PAGE = 250
const LONGEST_DESCRIPTION = 255

/**
 * Mollie, with payments by card that are captured by hand. The buyer enters the card on Mollie's own page, so `confirm` sends
 * no card: it returns the page's address, which no buyer knows before. The payment method of a checkout has no meaning here.
 * Mollie does not record whether a buyer was sent to the page, so `confirm` marks it in the payment's metadata.
 *
 * Captures and refunds are records of their own at Mollie. A call looks for an earlier record before it makes one, as Mollie
 * forgets idempotency keys after an hour.
 */
export function createMollie({ webhookUrl, ...settings }: MollieProviderSettings): PaymentProvider {
  const { call } = loadMollie(settings)

  async function find(paymentId: string, signal: AbortSignal): Promise<Payment | null> {
    try {
      return await call(signal, (client, options) => client.payments.get({ paymentId }, options))
    } catch (error) {
      const status = statusOf(error)
      if (status === 404 || status === 410) return null
      throw error
    }
  }

  async function read(paymentId: string, signal: AbortSignal): Promise<Payment> {
    const payment = await find(paymentId, signal)
    if (!payment) throw new Error(`Mollie has no payment ${paymentId}`)
    return payment
  }

  const refundsOf = (paymentId: string, signal: AbortSignal) =>
    call(signal, async (client, options) => {
      const refunds: Refund[] = []
      for await (const { result } of await client.refunds.list({ paymentId, limit: PAGE }, options))
        refunds.push(...result.embedded.refunds)
      return refunds
    })

  const capturesOf = (paymentId: string, signal: AbortSignal) =>
    call(signal, async (client, options) => {
      const captures: { status: string }[] = []
      for await (const { result } of await client.captures.list({ paymentId, limit: PAGE }, options))
        captures.push(...result.embedded.captures)
      return captures
    })

  const withRefunds = async (payment: Payment, signal: AbortSignal) =>
    toPayment(payment, payment.status === 'paid' ? await refundsOf(payment.id, signal) : [])

  /** The record has the outcome: Mollie releases an authorization later, and the buyer may have been quicker. */
  async function requestEnd({ id: paymentId, status, isCancelable }: Payment, signal: AbortSignal) {
    try {
      if (status === 'authorized')
        await call(signal, (client, options) => client.payments.releaseAuthorization({ paymentId }, options))
      else if (isCancelable)
        await call(signal, (client, options) => client.payments.cancel({ paymentId }, options))
    } catch (error) {
      if (!isRefusal(error)) throw error
    }
  }

  function requestCapture(
    paymentId: string,
    amount: Money,
    signal: AbortSignal,
  ): Promise<{ status: string }> {
    return call(signal, (client, options) =>
      client.captures.create({ paymentId, entityCapture: { amount: toMollie(amount) } }, options),
    )
  }

  return {
    name: 'mollie',
    publishableKey: null,

    async prepare({ orderId, eventId, amount, returnUrl, signal }) {
      const { id } = await call(signal, (client, options) =>
        client.payments.create(
          {
            paymentRequest: {
              amount: toMollie(amount),
              description: orderId.slice(0, LONGEST_DESCRIPTION),
              redirectUrl: returnUrl,
              webhookUrl,
              method: 'creditcard',
              captureMode: 'manual',
              metadata: metadata(orderId, eventId, 'no'),
            },
          },
          options,
        ),
      )
      return { intentId: id }
    },

    async confirm({ intentId: paymentId, orderId, eventId, returnUrl, signal }) {
      try {
        const payment = await call(signal, (client, options) =>
          client.payments.update(
            {
              paymentId,
              requestBody: { redirectUrl: returnUrl, metadata: metadata(orderId, eventId, 'yes') },
            },
            options,
          ),
        )
        return toStatus(payment)
      } catch (error) {
        // A payment that has ended takes no update.
        if (!isRefusal(error)) throw error
        const status = toStatus(await read(paymentId, signal))
        if (status.state === 'unconfirmed' || status.state === 'action_required') throw error
        return status
      }
    },

    async retrieve({ intentId, signal }) {
      const payment = await find(intentId, signal)
      return payment && withRefunds(payment, signal)
    },

    async cancel({ intentId, signal }) {
      const before = await find(intentId, signal)
      if (before && !isEnded(before)) await requestEnd(before, signal)
      const payment = before && !isEnded(before) ? await find(intentId, signal) : before
      if (payment === null) return 'cancelled'
      if (payment.status === 'paid') return 'captured'
      if (isEnded(payment)) return 'cancelled'
      throw new Error(`Mollie has not cancelled ${intentId} yet: it is ${payment.status}${endOf(payment)}`)
    },

    async capture({ intentId, amount, signal }) {
      const attempts = (await capturesOf(intentId, signal)).filter(({ status }) => status !== 'failed')
      try {
        const capture = attempts[0] ?? (await requestCapture(intentId, amount, signal))
        if (capture.status === 'succeeded') return { outcome: 'done' }
        if (capture.status === 'failed') return { outcome: 'refused', reason: 'the bank refuses the capture' }
      } catch (error) {
        if (!isRefusal(error)) throw error
        const payment = await read(intentId, signal)
        if (payment.status === 'paid') return { outcome: 'done' }
        if (isEnded(payment) || fromMollie(payment.amount).amount < amount.amount)
          return { outcome: 'refused', reason: (error as Error).message }
        throw error
      }
      throw new Error(`Mollie has not decided the capture of ${intentId} yet`)
    },

    async refund({ intentId: paymentId, refundId, amount, signal }) {
      const known = (await refundsOf(paymentId, signal)).find(
        (refund) => metadataOf(refund).fairgateRefund === refundId,
      )
      if (known) return toResult(known)
      try {
        const made = await call(signal, (client, options) =>
          client.refunds.create(
            {
              paymentId,
              // For calls at the same moment, which find no record of each other.
              idempotencyKey: refundId,
              refundRequest: {
                amount: toMollie(amount),
                metadata: { fairgateRefund: refundId } satisfies Metadata,
              },
            },
            options,
          ),
        )
        return toResult(made)
      } catch (error) {
        if (!isRefusal(error)) throw error
        const { captured, refunds } = await withRefunds(await read(paymentId, signal), signal)
        const returned = refunds
          .filter(({ state }) => state !== 'failed')
          .reduce((sum, refund) => sum + refund.amount, 0n)
        // Any other refusal may end: the balance at Mollie is too small, or the key is wrong.
        if (captured - returned < amount.amount)
          return { outcome: 'refused', reason: (error as Error).message }
        throw error
      }
    },

    async *list(eventId) {
      const { signal } = new AbortController()
      // Mollie has no search: these are all payments of the account's profile, the newest first.
      const pages = await call(signal, (client, options) => client.payments.list({ limit: PAGE }, options))
      for await (const { result } of pages)
        for (const payment of result.embedded.payments ?? [])
          if (metadataOf(payment).fairgateEvent === eventId) yield await withRefunds(payment, signal)
    },
  }
}

function metadata(fairgateOrder: string, fairgateEvent: string, fairgateConfirmed: 'yes' | 'no'): Metadata {
  return { fairgateOrder, fairgateEvent, fairgateConfirmed }
}

function isEnded({ status }: Payment): boolean {
  return ['paid', 'canceled', 'expired', 'failed'].includes(status)
}

function endOf({ expiresAt }: Payment): string {
  return expiresAt ? `, and ends by itself at ${expiresAt}` : ''
}

function toResult({ id, status }: { id: string; status: string }): RefundResult {
  const state = toRefundState(status)
  return state === 'failed'
    ? { outcome: 'refused', reason: `the refund is ${status}` }
    : { outcome: state, providerId: id }
}

import type Stripe from 'stripe'
import type { Money } from '../money.ts'
import { CannotCharge, type PaymentProvider, type PaymentStatus, type RefundResult } from './provider.ts'
import { fromStripe, toStripe } from './stripe/amounts.ts'
import { EXPANDED, METADATA, toPayment, toRefundState, toStatus } from './stripe/records.ts'
import {
  isAnswer,
  isRefusal,
  isReplay,
  isReplayed,
  loadStripe,
  type StripeAnswer,
  type StripeSettings,
} from './stripe/sdk.ts'

export interface StripeProviderSettings extends StripeSettings {
  publishableKey: string
}

/** The most records on one page of Stripe's lists. */
const PAGE = 100
/** The most stored errors behind which a call looks for its own attempt; more of them are an outage of hours. */
const MOST_REPLAYS = 20

/**
 * Stripe, with PaymentIntents and manual capture.
 *
 * A PaymentIntent itself lets confirm, capture and cancel happen once, so only two calls need an idempotency key: confirm,
 * where a second attempt after a decline would be a second payment attempt on the card, and refund, where a payment has
 * many. Stripe stores the first answer of a key, an error 500 too, and replays it for a day. So these calls read the record
 * after a replayed error, and go on with the next key only where the record shows that nothing happened.
 */
export function createStripe({ publishableKey, ...settings }: StripeProviderSettings): PaymentProvider {
  const { call, stripe: loading } = loadStripe(settings)

  const read = (intentId: string, signal: AbortSignal) =>
    call(signal, (stripe) => stripe.paymentIntents.retrieve(intentId, { expand: EXPANDED }))

  const refundsOf = (intentId: string, signal: AbortSignal) =>
    call(signal, (stripe) =>
      stripe.refunds.list({ payment_intent: intentId, limit: PAGE }).autoPagingToArray({ limit: 10_000 }),
    )

  async function find(intentId: string, signal: AbortSignal): Promise<Stripe.PaymentIntent | null> {
    try {
      return await read(intentId, signal)
    } catch (error) {
      if (isRefusal(error) && error.code === 'resource_missing') return null
      throw error
    }
  }

  /**
   * Sends a call under `key`. `lookFor` returns what an earlier attempt under the same key did; null: nothing.
   * Only one attempt is made: replays are not attempts.
   */
  async function sendOnce<T>(
    key: string,
    send: (idempotencyKey: string) => Promise<T>,
    lookFor: () => Promise<T | null>,
  ): Promise<T> {
    for (let replays = 0; ; replays += 1) {
      try {
        return await send(`${key}-${replays}`)
      } catch (error) {
        const isOldFailure = isAnswer(error) && error.statusCode >= 500 && isReplay(error)
        if (!isOldFailure || replays === MOST_REPLAYS) throw error
        const done = await lookFor()
        if (done !== null) return done
      }
    }
  }

  return {
    name: 'stripe',
    publishableKey,

    async prepare({ orderId, eventId, amount, signal }) {
      const { id } = await call(signal, (stripe) =>
        stripe.paymentIntents.create({
          ...toStripe(amount),
          capture_method: 'manual',
          // Cards, with Apple Pay and Google Pay, which are cards to Stripe. Other methods cannot be captured later.
          allowed_payment_method_types: ['card'],
          metadata: { [METADATA.order]: orderId, [METADATA.event]: eventId },
        }),
      ).catch((error) => {
        throw isAboutAmount(error) ? new CannotCharge(error.message, { cause: error }) : error
      })
      return { intentId: id }
    },

    async confirm({ intentId, paymentMethod, returnUrl, signal }) {
      const standing = async (): Promise<PaymentStatus> => toStatus(await read(intentId, signal))
      const send = async (idempotencyKey: string) => {
        const intent = await call(signal, (stripe) =>
          stripe.paymentIntents.confirm(
            intentId,
            { payment_method: paymentMethod, return_url: returnUrl, expand: EXPANDED },
            { idempotencyKey },
          ),
        )
        // The stored answer may be old: the buyer may have done since what it names.
        return isReplayed(intent) ? standing() : toStatus(intent)
      }
      try {
        return await sendOnce(`${intentId}-confirm`, send, async () => {
          const status = await standing()
          return status.state === 'unconfirmed' ? null : status
        })
      } catch (error) {
        if (!isRefusal(error)) throw error
        // A declined card comes with the record, except in a stored answer, which may be old.
        const intent = isReplay(error) ? undefined : error.payment_intent
        const status = intent?.last_payment_error ? toStatus(intent) : await standing()
        if (status.state !== 'unconfirmed') return status
        // An unknown payment method, or one of another kind: as definite as a declined card.
        if (!isAboutPaymentMethod(error)) throw error
        return { state: 'declined', reason: 'OTHER' }
      }
    },

    async retrieve({ intentId, signal }) {
      const intent = await find(intentId, signal)
      if (!intent) return null
      return toPayment(intent, intent.amount_received > 0 ? await refundsOf(intentId, signal) : [])
    },

    async cancel({ intentId, signal }) {
      try {
        await call(signal, (stripe) => stripe.paymentIntents.cancel(intentId))
        return 'cancelled'
      } catch (error) {
        if (!isRefusal(error)) throw error
        const intent = await find(intentId, signal)
        if (intent === null || intent.status === 'canceled') return 'cancelled'
        if (intent.status === 'succeeded') return 'captured'
        throw error
      }
    },

    async capture({ intentId, amount, signal }) {
      try {
        await call(signal, (stripe) =>
          stripe.paymentIntents.capture(intentId, { amount_to_capture: toStripe(amount).amount }),
        )
        return { outcome: 'done' }
      } catch (error) {
        if (!isRefusal(error)) throw error
        const status = (await find(intentId, signal))?.status
        if (status === 'succeeded') return { outcome: 'done' }
        if (status === 'canceled' || isFinalForCapture(error))
          return { outcome: 'refused', reason: error.message }
        throw error
      }
    },

    async refund({ intentId, refundId, amount, signal }) {
      const earlier = async (): Promise<RefundResult | null> => {
        const found = (await refundsOf(intentId, signal)).find(
          ({ metadata }) => metadata?.[METADATA.refund] === refundId,
        )
        return found ? toRefundResult(found) : null
      }
      const units = stripeUnits(amount)
      // No retry can return it: the amount of a payment may be exact, and that of a part of it not.
      if (units instanceof CannotCharge) return { outcome: 'refused', reason: units.message }
      const send = async (idempotencyKey: string) =>
        toRefundResult(
          await call(signal, (stripe) =>
            stripe.refunds.create(
              {
                payment_intent: intentId,
                amount: units,
                metadata: { [METADATA.refund]: refundId },
              },
              { idempotencyKey },
            ),
          ),
        )
      // First of all, as Stripe forgets a key after a day.
      const done = await earlier()
      if (done) return done
      try {
        return await sendOnce(refundId, send, earlier)
      } catch (error) {
        if (!isRefusal(error)) throw error
        const found = await earlier()
        if (found) return found
        const intent = await find(intentId, signal)
        const left = intent && amountLeft(intent, await refundsOf(intentId, signal))
        if ((left !== null && left < amount.amount) || isFinalForRefund(error))
          return { outcome: 'refused', reason: error.message }
        throw error
      }
    },

    async *list(eventId) {
      const stripe = await loading
      // Stripe's search follows its records by a minute or less. An event's id has no quotes.
      const found = stripe.paymentIntents.search({
        query: `metadata['${METADATA.event}']:'${eventId}'`,
        limit: PAGE,
        expand: EXPANDED.map((name) => `data.${name}`),
      })
      const { signal } = new AbortController()
      for await (const intent of found)
        yield toPayment(intent, intent.amount_received > 0 ? await refundsOf(intent.id, signal) : [])
    },
  }
}

/** Returns an amount as Stripe counts it, or the reason why Stripe cannot move it exactly. */
function stripeUnits(money: Money): number | CannotCharge {
  try {
    return toStripe(money).amount
  } catch (error) {
    if (error instanceof CannotCharge) return error
    throw error
  }
}

/** The minor units of ISO 4217 that were captured and not refunded. */
function amountLeft({ amount_received, currency }: Stripe.PaymentIntent, refunds: Stripe.Refund[]): bigint {
  const refunded = refunds
    .filter(({ status }) => toRefundState(status) !== 'failed')
    .reduce((sum, { amount }) => sum + amount, 0)
  return fromStripe(amount_received - refunded, currency).amount
}

/*
 * The refusals that stay refusals. Each other one may be a fault of the configuration or of this code: it is thrown, so that
 * it is tried again and reaches ops, and cancels no order.
 */

function isAboutPaymentMethod({ code, param }: StripeAnswer): boolean {
  return [code, param].some((name) => name?.startsWith('payment_method'))
}

function isAboutAmount(error: unknown): error is StripeAnswer {
  return isRefusal(error) && ['amount_too_small', 'amount_too_large'].includes(error.code ?? '')
}

function isFinalForCapture({ code, statusCode }: StripeAnswer): boolean {
  const isDeclined = statusCode === 402
  return (
    isDeclined ||
    ['charge_expired_for_capture', 'capture_charge_authorization_expired', 'amount_too_large'].includes(
      code ?? '',
    )
  )
}

function isFinalForRefund({ code }: StripeAnswer): boolean {
  return [
    'charge_already_refunded',
    'charge_disputed',
    'charge_not_refundable',
    'refund_disputed_payment',
  ].includes(code ?? '')
}

function toRefundResult({ id, status, failure_reason }: Stripe.Refund): RefundResult {
  const state = toRefundState(status)
  if (state === 'failed') return { outcome: 'refused', reason: failure_reason ?? `the refund is ${status}` }
  return { outcome: state, providerId: id }
}

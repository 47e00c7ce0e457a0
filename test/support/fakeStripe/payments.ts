import { randomBytes } from 'node:crypto'
import type { FakeClock } from '../providers/clock.ts'
import { CARDS, type Card } from './cards.ts'
import { invalidRequest, missing, StripeFailure, unexpectedState } from './errors.ts'
import { type Form, refuseOthers, wholeNumber } from './form.ts'

export interface Intent {
  id: string
  status: string
  amount: number
  currency: string
  created: number
  metadata: Record<string, string>
  card: string | null
  returnUrl: string | null
  lastError: Record<string, unknown> | null
  cancellationReason: string | null
  /** Seconds, of the charge that holds the money. */
  authorizedAt: number | null
  amountReceived: number
}

export interface Refund {
  id: string
  object: 'refund'
  payment_intent: string
  amount: number
  currency: string
  status: 'succeeded' | 'pending' | 'failed'
  failure_reason?: string
  metadata: Record<string, string>
  created: number
}

const AUTHORIZED_SECONDS = 7 * 86_400
const CONFIRMABLE = ['requires_payment_method', 'requires_confirmation', 'requires_action']
const CANCELABLE = [...CONFIRMABLE, 'requires_capture']

export type Happened = (type: string, object: Record<string, unknown>) => void

/** Stripe's PaymentIntents and refunds: states, and what each call may do in each of them. */
export function createPaymentRecords(clock: FakeClock, happened: Happened) {
  const intents = new Map<string, Intent>()
  const refunds: Refund[] = []
  const seconds = () => Math.floor(clock.now() / 1_000)
  const newId = (prefix: string) => `${prefix}_${randomBytes(12).toString('hex')}`

  function get(id: string): Intent {
    const intent = intents.get(id)
    if (!intent) throw missing('payment_intent', id, 'intent')
    const isLapsed =
      intent.status === 'requires_capture' &&
      (intent.authorizedAt as number) + AUTHORIZED_SECONDS <= seconds()
    if (isLapsed) cancelled(intent, 'automatic')
    return intent
  }

  const cardOf = ({ card }: Intent): Card => CARDS[card ?? ''] ?? {}

  function cancelled(intent: Intent, reason: string | null) {
    intent.status = 'canceled'
    intent.cancellationReason = reason
    happened('payment_intent.canceled', view(intent))
  }

  function declined(intent: Intent, error: Record<string, unknown>) {
    intent.status = 'requires_payment_method'
    intent.lastError = { type: 'card_error', message: 'Your card was declined.', ...error }
    happened('payment_intent.payment_failed', view(intent))
  }

  /** The network's answer, after the buyer's action where the card needs one. */
  function decide(intent: Intent) {
    const { declined: error } = cardOf(intent)
    if (error) return declined(intent, error)
    intent.status = 'requires_capture'
    intent.lastError = null
    intent.authorizedAt = seconds()
    happened('payment_intent.amount_capturable_updated', view(intent))
  }

  /** An intent as Stripe sends it. */
  function view(intent: Intent, expand: readonly string[] = []): Record<string, unknown> {
    const { id, status, amount, currency, created, metadata, authorizedAt } = intent
    const charge = authorizedAt && {
      id: `ch_${id.slice(3)}`,
      object: 'charge',
      payment_intent: id,
      amount,
      currency,
      created: authorizedAt,
      captured: status === 'succeeded',
      payment_method_details: {
        type: 'card',
        card: { brand: 'visa', capture_before: authorizedAt + AUTHORIZED_SECONDS },
      },
    }
    return {
      id,
      object: 'payment_intent',
      amount,
      amount_capturable: status === 'requires_capture' ? amount : 0,
      amount_received: intent.amountReceived,
      cancellation_reason: intent.cancellationReason,
      capture_method: 'manual',
      client_secret: `${id}_secret_${id.slice(-8)}`,
      created,
      currency,
      last_payment_error: intent.lastError,
      latest_charge: charge ? (expand.includes('latest_charge') ? charge : charge.id) : null,
      livemode: false,
      metadata,
      next_action:
        status === 'requires_action'
          ? {
              type: 'redirect_to_url',
              redirect_to_url: {
                url: `https://hooks.stripe.example/3d_secure_2/hosted?payment_intent=${id}`,
                return_url: intent.returnUrl,
              },
            }
          : null,
      payment_method: intent.card,
      payment_method_types: ['card'],
      status,
    }
  }

  return {
    get,
    view,
    intents,
    refunds,
    decide,
    declined,

    create(form: Form): Intent {
      refuseOthers(form, [
        'amount',
        'currency',
        'capture_method',
        'allowed_payment_method_types',
        'metadata',
        'expand',
      ])
      const amount = wholeNumber(form, 'amount')
      if (amount < 50)
        throw invalidRequest('Amount must be at least €0.50 eur', {
          code: 'amount_too_small',
          param: 'amount',
        })
      if (form.capture_method !== 'manual')
        throw invalidRequest('the tests capture by hand', { param: 'capture_method' })
      const intent: Intent = {
        id: newId('pi'),
        status: 'requires_payment_method',
        amount,
        currency: String(form.currency),
        created: seconds(),
        metadata: (form.metadata as Record<string, string>) ?? {},
        card: null,
        returnUrl: null,
        lastError: null,
        cancellationReason: null,
        authorizedAt: null,
        amountReceived: 0,
      }
      intents.set(intent.id, intent)
      happened('payment_intent.created', view(intent))
      return intent
    },

    confirm(id: string, form: Form): Intent {
      refuseOthers(form, ['payment_method', 'return_url', 'expand'])
      const intent = get(id)
      if (!CONFIRMABLE.includes(intent.status)) throw unexpectedState('confirm', intent)
      const name = String(form.payment_method)
      const card = CARDS[name]
      if (!card) throw missing('PaymentMethod', name, 'payment_method')
      if (typeof form.return_url !== 'string')
        throw invalidRequest('return_url is missing', { param: 'return_url' })
      Object.assign(intent, { card: name, returnUrl: form.return_url })
      if (card.processing) intent.status = 'processing'
      else if (card.needsAction) {
        intent.status = 'requires_action'
        happened('payment_intent.requires_action', view(intent))
      } else decide(intent)
      if (intent.status === 'requires_payment_method')
        throw new StripeFailure(402, {
          ...(intent.lastError as { message: string }),
          payment_intent: view(intent),
        })
      return intent
    },

    cancel(id: string, form: Form): Intent {
      refuseOthers(form, ['expand', 'cancellation_reason'])
      const intent = get(id)
      if (!CANCELABLE.includes(intent.status)) throw unexpectedState('cancel', intent)
      cancelled(intent, 'requested_by_customer')
      return intent
    },

    capture(id: string, form: Form): Intent {
      refuseOthers(form, ['amount_to_capture', 'expand'])
      const intent = get(id)
      if (intent.status !== 'requires_capture') throw unexpectedState('capture', intent)
      const amount = wholeNumber(form, 'amount_to_capture')
      if (amount > intent.amount)
        throw invalidRequest('The capture amount is more than the authorized amount.', {
          code: 'amount_too_large',
        })
      if (cardOf(intent).captureFails)
        throw new StripeFailure(500, { type: 'api_error', message: 'An unknown error occurred.' })
      if (cardOf(intent).captureRefused)
        throw new StripeFailure(402, {
          type: 'card_error',
          code: 'card_declined',
          message: 'The bank refuses the capture.',
        })
      intent.status = 'succeeded'
      intent.amountReceived = amount
      happened('payment_intent.succeeded', view(intent))
      return intent
    },

    refund(form: Form): Refund {
      refuseOthers(form, ['payment_intent', 'amount', 'metadata'])
      const id = String(form.payment_intent)
      const intent = get(id)
      const amount = wholeNumber(form, 'amount')
      const refunded = refunds
        .filter((refund) => refund.payment_intent === id && refund.status !== 'failed')
        .reduce((sum, refund) => sum + refund.amount, 0)
      if (intent.amountReceived === 0)
        throw invalidRequest('This PaymentIntent does not have a successful charge to refund.', {
          code: 'payment_intent_unexpected_state',
        })
      if (refunded === intent.amountReceived)
        throw invalidRequest('The charge has already been refunded.', { code: 'charge_already_refunded' })
      if (refunded + amount > intent.amountReceived)
        throw invalidRequest('Refund amount is greater than unrefunded amount on charge.', {
          param: 'amount',
        })
      const state = cardOf(intent).refund
      const refund: Refund = {
        id: newId('re'),
        object: 'refund',
        payment_intent: id,
        amount,
        currency: intent.currency,
        status: state ?? 'succeeded',
        ...(state === 'failed' && { failure_reason: 'expired_or_canceled_card' }),
        metadata: (form.metadata as Record<string, string>) ?? {},
        created: seconds(),
      }
      refunds.unshift(refund)
      happened('refund.created', { ...refund })
      return refund
    },

    settleRefund(refund: Refund, status: 'succeeded' | 'failed') {
      refund.status = status
      if (status === 'failed') refund.failure_reason = 'expired_or_canceled_card'
      happened(status === 'failed' ? 'refund.failed' : 'refund.updated', { ...refund })
    },
  }
}

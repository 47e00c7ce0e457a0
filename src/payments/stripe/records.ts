import type Stripe from 'stripe'
import type { PaymentAction, PaymentStatus, ProviderPayment, ProviderRefund } from '../provider.ts'
import { fromStripe } from './amounts.ts'
import { declineReason } from './declines.ts'

/** The names of our ids in the metadata of Stripe's records. */
export const METADATA = {
  order: 'fairgate_order',
  event: 'fairgate_event',
  refund: 'fairgate_refund',
} as const

/** What `toStatus` and `toPayment` read besides the PaymentIntent itself. */
export const EXPANDED = ['latest_charge']

/** Where Stripe does not state the end of an authorization: its shortest for cards, Visa's of a merchant-initiated payment. */
const SHORTEST_AUTHORIZATION_MS = 5 * 86_400_000

/** Returns where a PaymentIntent stands. Its latest charge must be expanded. */
export function toStatus(intent: Stripe.PaymentIntent): PaymentStatus {
  switch (intent.status) {
    case 'requires_payment_method':
    case 'requires_confirmation': {
      const error = intent.last_payment_error
      return error ? { state: 'declined', reason: declineReason(error) } : { state: 'unconfirmed' }
    }
    case 'requires_action':
      return { state: 'action_required', action: toAction(intent) }
    case 'requires_capture':
      return { state: 'authorized', authorizedUntil: authorizedUntil(intent) }
    case 'succeeded':
      return { state: 'captured' }
    case 'canceled':
      return { state: 'cancelled' }
    case 'processing':
      return { state: 'processing' }
    default:
      throw new Error(`Stripe reports ${intent.id} as "${intent.status}", which is not known.`)
  }
}

function toAction({ next_action, client_secret }: Stripe.PaymentIntent): PaymentAction {
  // Stripe sets no end: the buyer can finish it until the intent is cancelled.
  return { clientSecret: client_secret, url: next_action?.redirect_to_url?.url ?? null, expiresAt: null }
}

function authorizedUntil({ latest_charge, created }: Stripe.PaymentIntent): Date {
  const charge = typeof latest_charge === 'string' ? null : latest_charge
  const seconds = charge?.payment_method_details?.card?.capture_before
  if (seconds !== undefined) return new Date(seconds * 1_000)
  return new Date((charge?.created ?? created) * 1_000 + SHORTEST_AUTHORIZATION_MS)
}

/** Returns Stripe's record of a payment, with all its refunds. */
export function toPayment(intent: Stripe.PaymentIntent, refunds: Stripe.Refund[]): ProviderPayment {
  return {
    intentId: intent.id,
    orderId: intent.metadata[METADATA.order] ?? null,
    eventId: intent.metadata[METADATA.event] ?? null,
    status: toStatus(intent),
    amount: fromStripe(intent.amount, intent.currency),
    captured: fromStripe(intent.amount_received, intent.currency).amount,
    refunds: refunds.map(toRefund),
  }
}

function toRefund({ id, metadata, amount, currency, status }: Stripe.Refund): ProviderRefund {
  return {
    refundId: metadata?.[METADATA.refund] ?? null,
    providerId: id,
    amount: fromStripe(amount, currency).amount,
    state: toRefundState(status),
  }
}

/** `requires_action` is a refund that waits for the buyer's bank details: it is not decided yet. */
export function toRefundState(status: string | null): ProviderRefund['state'] {
  if (status === 'succeeded') return 'done'
  return status === 'failed' || status === 'canceled' ? 'failed' : 'pending'
}

import { BadWebhook, type ReadWebhook } from '../webhooks.ts'

/**
 * The events after which an order may go on. The others would cost a call to Stripe each and change nothing: an order has
 * about ten.
 */
const EVENTS = new Set([
  'payment_intent.amount_capturable_updated',
  'payment_intent.payment_failed',
  'payment_intent.canceled',
  'payment_intent.succeeded',
  // A refund that ops make by hand in the dashboard.
  'refund.created',
  'refund.updated',
  'refund.failed',
])

/** Stripe's own tolerance. A repeated delivery has a signature of its own, with its own time. */
const TOLERANCE_SECONDS = 300

/** Reads Stripe's webhook, signed with `secret`. */
export function stripeWebhook(secret: string): ReadWebhook {
  const loading = import('stripe').then(({ default: Stripe }) => Stripe.webhooks)
  return async ({ body, headers }) => {
    const webhooks = await loading
    const signature = headers['stripe-signature']
    if (typeof signature !== 'string') throw new BadWebhook('The header "Stripe-Signature" is missing.')
    const event = verified(() => webhooks.constructEvent(body, signature, secret, TOLERANCE_SECONDS))
    if (!EVENTS.has(event.type)) return null
    const object = event.data.object as { id?: unknown; payment_intent?: unknown }
    const intentId = event.type.startsWith('refund.') ? object.payment_intent : object.id
    return typeof intentId === 'string' ? intentId : null
  }
}

/** The message of Stripe's SDK gives advice about web frameworks, and the sender of a forgery needs no advice. */
function verified<T>(construct: () => T): T {
  try {
    return construct()
  } catch {
    throw new BadWebhook('The signature is not valid for this body, or it is too old.')
  }
}

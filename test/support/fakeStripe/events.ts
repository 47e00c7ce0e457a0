import { createHmac, randomBytes } from 'node:crypto'
import type { FakeClock } from '../providers/clock.ts'

/** A notice of Stripe's, as its webhook carries it. */
export interface StripeEvent {
  id: string
  type: string
  body: string
}

/** Records notices. The test delivers them: late, twice, in another order, or never. */
export function createEvents(clock: FakeClock, apiVersion: () => string) {
  const events: StripeEvent[] = []
  return {
    events,
    happened(type: string, object: Record<string, unknown>) {
      const id = `evt_${randomBytes(12).toString('hex')}`
      const created = Math.floor(clock.now() / 1_000)
      const body = JSON.stringify({
        id,
        object: 'event',
        api_version: apiVersion(),
        created,
        data: { object },
        livemode: false,
        pending_webhooks: 1,
        request: { id: null, idempotency_key: null },
        type,
      })
      events.push({ id, type, body })
    },
  }
}

/** Stripe's scheme (docs.stripe.com/webhooks/signature): an HMAC over the time in seconds, a dot and the body. */
export function signStripe(body: string, secret: string, at = Date.now()): string {
  const seconds = Math.floor(at / 1_000)
  return `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`
}

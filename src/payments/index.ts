import type { Redis } from 'ioredis'
import { isThisMachine } from '../addresses.ts'
import type { Env } from '../env.ts'
import type { Database } from '../sql/database/database.ts'
import { guard } from './guard.ts'
import { createLimiter } from './limiter.ts'
import { mollieWebhook } from './mollie/webhook.ts'
import { createMollie } from './mollie.ts'
import type { PaymentProvider } from './provider.ts'
import { createRegistry, type Payments } from './registry.ts'
import { createSandbox } from './sandbox.ts'
import { stripeWebhook } from './stripe/webhook.ts'
import { createStripe } from './stripe.ts'
import type { ReadWebhook } from './webhooks.ts'

export interface PaymentDeps {
  env: Pick<Env, 'payments' | 'paymentsPerSecond' | 'sandbox' | 'publicUrl'>
  db: Database
  redis: Redis
  /** See GuardOptions in guard.ts. */
  onAuthorization?: (refused: boolean) => void
}

/** The path of a provider's webhook. */
export const webhookPath = (provider: string) => `/webhooks/${provider}`

/**
 * The payment providers of this installation, each behind the limits of all its processes. The sandbox is always there, so
 * that orders from a rehearsal end; it takes new orders only where the configuration says so.
 */
export function createPaymentProviders({ env, db, redis, onAuthorization }: PaymentDeps): Payments {
  const { stripe, mollie, forNewOrders } = env.payments
  const guarded = (provider: PaymentProvider) =>
    guard(provider, {
      takePermit: createLimiter(redis, provider.name, env.paymentsPerSecond),
      onAuthorization,
    })
  const webhooks = new Map<string, ReadWebhook>()
  const real: PaymentProvider[] = []
  if (stripe) {
    real.push(createStripe(stripe))
    webhooks.set('stripe', stripeWebhook(stripe.webhookSecret))
  }
  if (mollie) {
    real.push(createMollie({ ...mollie, webhookUrl: publicWebhook(env.publicUrl, 'mollie') }))
    webhooks.set('mollie', mollieWebhook)
  }
  const sandbox = createSandbox(db, env.sandbox, { publicUrl: env.publicUrl })
  return createRegistry([guarded(sandbox), ...real.map(guarded)], { forNewOrders, webhooks })
}

/** Null where the provider cannot reach this server: Mollie refuses such an address. */
function publicWebhook(publicUrl: string, provider: string): string | null {
  return isThisMachine(new URL(publicUrl).hostname) ? null : `${publicUrl}${webhookPath(provider)}`
}

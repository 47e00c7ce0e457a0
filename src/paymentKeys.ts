import { z } from 'zod'

/** The payment providers that this code has. */
const PROVIDERS = ['stripe', 'mollie', 'sandbox'] as const
export type ProviderName = (typeof PROVIDERS)[number]

export interface PaymentEnv {
  /** The providers that take new orders, the preferred one first. Each other configured one serves only its own orders. */
  readonly forNewOrders: readonly ProviderName[]
  /** Null: no keys, so the provider does not exist. */
  readonly stripe: Readonly<{
    secretKey: string
    publishableKey: string
    webhookSecret: string
    apiUrl: string | null
  }> | null
  readonly mollie: Readonly<{ apiKey: string; apiUrl: string | null }> | null
}

const secret = (pattern: RegExp, error: string) =>
  z
    .string()
    .refine((text) => pattern.test(text), { error, params: { secret: true } })
    .optional()

const names = z
  .string()
  .transform((text) => text.split(',').map((name) => name.trim()))
  .refine((list) => list.every((name) => PROVIDERS.includes(name as ProviderName)), {
    error: `must be a list of ${PROVIDERS.join(', ')}`,
  })
  .refine((list) => new Set(list).size === list.length, { error: 'must name each provider once' })
  .transform((list) => list as ProviderName[])

/** The variables of the payment providers. `url`: the kind of an address. */
export const paymentVariables = <Url extends z.ZodType>(url: Url) => ({
  /** Default: each provider that has keys, Stripe first; the sandbox where none has. */
  PAYMENT_PROVIDERS: names.optional(),
  STRIPE_SECRET_KEY: secret(/^[sr]k_(test|live)_\w+$/, 'must be a secret key of Stripe, such as sk_live_…'),
  STRIPE_PUBLISHABLE_KEY: secret(
    /^pk_(test|live)_\w+$/,
    'must be a publishable key of Stripe, such as pk_live_…',
  ),
  STRIPE_WEBHOOK_SECRET: secret(
    /^whsec_\S+$/,
    "must be the signing secret of Stripe's webhook, such as whsec_…",
  ),
  /** Another address than Stripe's, for tests. */
  STRIPE_API_URL: url.optional(),
  MOLLIE_API_KEY: secret(/^(test|live)_\w+$/, 'must be an API key of Mollie, such as live_…'),
  /** Another address than Mollie's, for tests. */
  MOLLIE_API_URL: url.optional(),
})

const STRIPE_KEYS = ['STRIPE_SECRET_KEY', 'STRIPE_PUBLISHABLE_KEY', 'STRIPE_WEBHOOK_SECRET'] as const

/** Returns a fault for each key that is missing beside another one, and for keys of both modes. It leaves out their values. */
export function paymentFaults(given: Readonly<Record<string, string | undefined>>): string[] {
  const faults: string[] = []
  if (STRIPE_KEYS.some((name) => given[name] !== undefined))
    for (const name of STRIPE_KEYS)
      if (given[name] === undefined)
        faults.push(`${name} is missing: Stripe needs ${STRIPE_KEYS.join(', ')}.`)
  const modeOf = (name: string) => /_(test|live)_/.exec(given[name] ?? '')?.[1]
  const [secretMode, publicMode] = [modeOf('STRIPE_SECRET_KEY'), modeOf('STRIPE_PUBLISHABLE_KEY')]
  if (secretMode && publicMode && secretMode !== publicMode)
    faults.push(
      'STRIPE_SECRET_KEY and STRIPE_PUBLISHABLE_KEY are of different modes: one is test, one is live.',
    )
  if (given.EMBEDDED === 'true')
    for (const name of ['STRIPE_SECRET_KEY', 'MOLLIE_API_KEY'])
      if (/^(sk_|rk_)?live_/.test(given[name] ?? ''))
        faults.push(`${name} is a live key, and EMBEDDED=true gives any caller any role. Use a test key.`)
  const keyOf: Record<string, string> = { stripe: 'STRIPE_SECRET_KEY', mollie: 'MOLLIE_API_KEY' }
  for (const name of given.PAYMENT_PROVIDERS?.split(',') ?? []) {
    const key = keyOf[name.trim()]
    if (key && given[key] === undefined)
      faults.push(`PAYMENT_PROVIDERS names ${name.trim()}, and ${key} is missing.`)
  }
  return faults
}

interface Values {
  PAYMENT_PROVIDERS?: ProviderName[] | undefined
  STRIPE_SECRET_KEY?: string | undefined
  STRIPE_PUBLISHABLE_KEY?: string | undefined
  STRIPE_WEBHOOK_SECRET?: string | undefined
  STRIPE_API_URL?: string | undefined
  MOLLIE_API_KEY?: string | undefined
  MOLLIE_API_URL?: string | undefined
}

export function toPaymentEnv(v: Values): PaymentEnv {
  const { STRIPE_SECRET_KEY: secretKey, STRIPE_PUBLISHABLE_KEY: publishableKey, MOLLIE_API_KEY: apiKey } = v
  const webhookSecret = v.STRIPE_WEBHOOK_SECRET
  const configured: ProviderName[] = [
    ...(secretKey ? ['stripe' as const] : []),
    ...(apiKey ? ['mollie' as const] : []),
  ]
  return {
    forNewOrders: v.PAYMENT_PROVIDERS ?? (configured.length > 0 ? configured : ['sandbox']),
    stripe:
      secretKey && publishableKey && webhookSecret
        ? { secretKey, publishableKey, webhookSecret, apiUrl: v.STRIPE_API_URL ?? null }
        : null,
    mollie: apiKey ? { apiKey, apiUrl: v.MOLLIE_API_URL ?? null } : null,
  }
}

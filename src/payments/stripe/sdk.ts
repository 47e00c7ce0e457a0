import type Stripe from 'stripe'
import { abortableFetch } from '../abortableFetch.ts'
import { ProviderBusy } from '../provider.ts'

export interface StripeSettings {
  secretKey: string
  /** Another address than Stripe's own, for tests; null: Stripe's. */
  apiUrl: string | null
}

export interface Sdk {
  /**
   * Runs a call of the SDK until `signal` aborts, and returns its answer. Throws ProviderBusy for an answer 429: Stripe
   * did nothing then. Throws the SDK's error for every other answer.
   */
  call<T>(signal: AbortSignal, run: (stripe: Stripe) => Promise<T>): Promise<T>
  readonly stripe: Promise<Stripe>
}

/** The SDK's types describe this version alone, so an update of the SDK does not compile until this is reviewed. */
const API_VERSION = '2026-10-28.endive'
/** Longer than every caller waits: the callers abort. It only bounds a call that is not aborted. */
const TIMEOUT_MS = 60_000
/** Stripe sends no Retry-After with its limit of requests a second. */
const BUSY_SECONDS = 1

/**
 * Loads Stripe's SDK and returns calls on it. The module is loaded only where Stripe is configured: loading it takes half
 * a second and 36 MB.
 *
 * The SDK's retries are off. With Node's own HTTP client it repeats a request whose connection was closed even so; with
 * `fetch` it does not.
 */
export function loadStripe({ secretKey, apiUrl }: StripeSettings): Sdk {
  const { within, fetch } = abortableFetch()
  const loading = import('stripe').then(({ default: Stripe }) => {
    const url = apiUrl === null ? null : new URL(apiUrl)
    return new Stripe(secretKey, {
      apiVersion: API_VERSION,
      maxNetworkRetries: 0,
      timeout: TIMEOUT_MS,
      telemetry: false,
      httpClient: Stripe.createFetchHttpClient(fetch),
      ...(url && {
        host: url.hostname,
        port: url.port || (url.protocol === 'https:' ? 443 : 80),
        protocol: url.protocol === 'https:' ? ('https' as const) : ('http' as const),
      }),
    })
  })
  return {
    stripe: loading,
    async call(signal, run) {
      const stripe = await loading
      signal.throwIfAborted()
      try {
        return await within(signal, () => run(stripe))
      } catch (error) {
        if (isAnswer(error) && error.statusCode === 429) throw new ProviderBusy(BUSY_SECONDS)
        throw error
      }
    },
  }
}

/** An answer of Stripe's that is an error. An error without a status is no answer: the outcome of its call is unknown. */
export type StripeAnswer = Stripe.errors.StripeError & { statusCode: number }

export function isAnswer(error: unknown): error is StripeAnswer {
  return error instanceof Error && 'statusCode' in error && typeof error.statusCode === 'number'
}

/** Stripe refused the request and did nothing; the reason is in `code`. Errors of the key's idempotency are not meant. */
export function isRefusal(error: unknown): error is StripeAnswer {
  return (
    isAnswer(error) && [400, 402, 404].includes(error.statusCode) && error.rawType !== 'idempotency_error'
  )
}

const REPLAYED = 'idempotent-replayed'

/** The answer of an earlier request with the same idempotency key, and not of this one. */
export function isReplay({ headers }: StripeAnswer): boolean {
  return headers?.[REPLAYED] === 'true'
}

/** The same for a record. The SDK passes on what `fetch` returned, although its types state a plain object. */
export function isReplayed({ lastResponse }: Stripe.Response<unknown>): boolean {
  return (lastResponse as unknown as Response).headers.get(REPLAYED) === 'true'
}

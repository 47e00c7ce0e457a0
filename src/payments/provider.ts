import type { DeclineReason } from '../declineReason.ts'
import type { Money } from '../money.ts'

/** The parameters of one authorization; equal bytes at every attempt. */
export interface AuthorizeRequest {
  /** The order's id is the provider's idempotency key: the same request again never authorizes twice. */
  orderId: string
  amount: Money
  /** The provider's token for a card. */
  paymentMethod: string
}

/** A definite answer. */
export type Authorization =
  | { outcome: 'authorized'; authorizationId: string; authorizedUntil: Date }
  | { outcome: 'declined'; reason: DeclineReason }

/** `final`: the provider will never do it (expired, already voided, …), and the money did not move. */
export type Settlement = { outcome: 'done' } | { outcome: 'final'; reason: string }

/**
 * A payment provider. Every call may also throw: then its outcome is unknown, and the caller repeats the same call with
 * the same parameters until the answer is definite. `ProviderBusy` alone means that nothing was done.
 */
export interface PaymentProvider {
  readonly name: string
  readonly publishableKey: string | null
  authorize(request: AuthorizeRequest): Promise<Authorization>
  capture(request: { orderId: string; authorizationId: string; amount: Money }): Promise<Settlement>
  /** Voids the authorization, or refunds it where it was captured. */
  void(request: { orderId: string; authorizationId: string }): Promise<Settlement>
  /** The provider's own record of an order's payment; null where it has none. */
  find(orderId: string): Promise<ProviderPayment | null>
  /** The provider's records of an event, each once, in any sequence, with those of orders that our database lacks. */
  list(eventId: string): AsyncIterable<ProviderPayment & { orderId: string }>
}

/** A payment as the provider records it. `voided`: authorized and then voided, or captured and refunded. */
export interface ProviderPayment {
  state: 'authorized' | 'captured' | 'voided' | 'declined'
  amount: Money
}

/** The provider's limit, or ours in front of it, refused the call: nothing was sent or done. */
export class ProviderBusy extends Error {
  readonly retryAfterSeconds: number
  constructor(retryAfterSeconds: number) {
    super('the payment provider is at its limit')
    this.name = 'ProviderBusy'
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** A provider behind our limits. Every call may throw `ProviderBusy`: then nothing was sent. */
export interface Payments extends PaymentProvider {
  /**
   * Runs `work` with a slot of this process and a permit for the provider, and returns its result. Both are taken before
   * `work` begins: for work that writes to the database before it calls the provider. Throws ProviderBusy, with `work`
   * not begun, where none is free within a second or the provider is known to be down.
   *
   * The permit covers the first call of `authorize`; each further call waits for its own.
   */
  withPermit<T>(work: (authorize: PaymentProvider['authorize']) => Promise<T>): Promise<T>
}

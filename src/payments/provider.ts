import type { DeclineReason } from '../declineReason.ts'
import type { Money } from '../money.ts'

/** The parameters of one authorization, the same bytes at every attempt. */
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

/** `final`: the provider will never do it (expired, already voided, …); the money did not move. */
export type Settlement = { outcome: 'done' } | { outcome: 'final'; reason: string }

/**
 * A payment provider. Every call may also throw: then its outcome is unknown, and the same call with the same
 * parameters is made again until its answer is definite. `ProviderBusy` alone says that nothing was done.
 */
export interface PaymentProvider {
  readonly name: string
  readonly publishableKey: string | null
  authorize(request: AuthorizeRequest): Promise<Authorization>
  capture(request: { orderId: string; authorizationId: string; amount: Money }): Promise<Settlement>
  /** Gives the authorization back, or refunds it where it was captured. */
  void(request: { orderId: string; authorizationId: string }): Promise<Settlement>
  /** What the provider itself says of an order; null where it knows nothing of it. */
  find(orderId: string): Promise<ProviderPayment | null>
  /** All that it says of an event's orders, each once, in any order: also of orders that we know nothing of. */
  list(eventId: string): AsyncIterable<ProviderPayment & { orderId: string }>
}

/** A payment as the provider has it. Voided: authorized once and given back, or captured and refunded. */
export interface ProviderPayment {
  state: 'authorized' | 'captured' | 'voided' | 'declined'
  amount: Money
}

/** The provider's limit, or ours in front of it: nothing was sent or done. */
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
   * Runs `work` with a slot of this process and a permit to ask the provider, both had before it begins:
   * for work that writes something down before it asks. Throws ProviderBusy, with `work` not begun, where
   * there is none within a second or the provider is known to be down.
   *
   * The permit is for the first call of `authorize`; each further one waits for its own.
   */
  withPermit<T>(work: (authorize: PaymentProvider['authorize']) => Promise<T>): Promise<T>
}

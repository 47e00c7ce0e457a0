import type { DeclineReason } from '../declineReason.ts'
import type { Money } from '../money.ts'

/** What the buyer must do with the provider before the payment can go on: 3-D Secure, a hosted page. */
export interface PaymentAction {
  /** For the provider's own script in the buyer's browser; null where the provider has none. */
  clientSecret: string | null
  /** The address to which the buyer goes. It leads back to `returnUrl`. */
  url: string | null
  /** After it the buyer can no longer finish the action. Null where the provider sets no end of its own. */
  expiresAt: Date | null
}

/**
 * Where a payment stands at its provider.
 *
 * - `unconfirmed`: it holds no money, and `confirm` may still be sent
 * - `processing`: the provider itself does not know yet
 * - `action_required`: it waits for the buyer
 * - `authorized`: the money is held, and `capture` takes it
 * - `captured`: the money is taken, all or a part of it; `refund` gives it back, and refunds change this status no more
 * - `declined`: this attempt is over. The intent may accept another card at some providers, so its order cancels it
 * - `cancelled`: the intent can authorize nothing any more; also an authorization that has lapsed
 */
export type PaymentStatus =
  | { state: 'unconfirmed' }
  | { state: 'processing' }
  | { state: 'action_required'; action: PaymentAction }
  | { state: 'authorized'; authorizedUntil: Date }
  | { state: 'captured' }
  | { state: 'declined'; reason: DeclineReason }
  | { state: 'cancelled' }

/** The provider's own record of a refund. */
export interface ProviderRefund {
  /** The `refundId` that `refund` sent; null for a refund that was made by hand at the provider. */
  refundId: string | null
  /** The provider's name for it. */
  providerId: string
  /** Minor units of the payment's currency. */
  amount: bigint
  /** `pending`: the provider will still decide. `failed`: for good, and the money did not move. */
  state: 'done' | 'pending' | 'failed'
}

/** The provider's own record of a payment. */
export interface ProviderPayment {
  intentId: string
  /** The order and the event that `prepare` sent; null where the record has none: it belongs to another installation. */
  orderId: string | null
  eventId: string | null
  status: PaymentStatus
  /** The amount that `prepare` sent. */
  amount: Money
  /** The amount taken, refunds not subtracted. Minor units of `amount`'s currency. */
  captured: bigint
  refunds: ProviderRefund[]
}

export interface PrepareRequest {
  orderId: string
  eventId: string
  amount: Money
  /** The provider's token for a card, or its name for a kind of payment. */
  paymentMethod: string
  /** Where the provider sends the buyer after an action. */
  returnUrl: string
  signal: AbortSignal
}

export interface ConfirmRequest extends PrepareRequest {
  intentId: string
}

export interface IntentRequest {
  intentId: string
  signal: AbortSignal
}

export interface CaptureRequest extends IntentRequest {
  amount: Money
}

export interface RefundRequest extends CaptureRequest {
  /** Our id of the refund: the provider's idempotency key, and stored in its record. */
  refundId: string
}

/** `refused`: the provider will never do it, and the money did not move. */
export type CaptureResult = { outcome: 'done' } | { outcome: 'refused'; reason: string }

/** `pending`: accepted, and the provider will still decide. Read the payment again for its end. */
export type RefundResult =
  | { outcome: 'done' | 'pending'; providerId: string }
  | { outcome: 'refused'; reason: string }

/**
 * A payment provider. An order stores the provider's name and belongs to it for life.
 *
 * Every call may throw: then its outcome is unknown, unless the error is `ProviderBusy`: then nothing was sent or done. Only
 * the answers of `retrieve` and `cancel` are definite. A replayed idempotency key is not: Stripe replays its first answer,
 * errors 500 included, and forgets keys after a day. So after an unknown outcome the caller retrieves, and never repeats a
 * call blindly.
 *
 * A call whose `signal` aborts ends soon, with an error. Its slot in the guard is taken until it ends. A provider makes one
 * attempt for each call: repetition belongs to the callers.
 */
export interface PaymentProvider {
  /** Stored with each order: `sandbox`, `stripe`, `mollie`. */
  readonly name: string
  /** The key with which a client makes payment methods for this provider; null where it needs none. */
  readonly publishableKey: string | null
  /**
   * Makes an intent that can hold no money yet. Each call may make a new one: an intent that was never confirmed holds
   * nothing, so a lost reply is harmless. Throws CannotCharge.
   */
  prepare(request: PrepareRequest): Promise<{ intentId: string }>
  /**
   * Sends the card, and returns where the payment stands then. An intent that was confirmed before is not confirmed again:
   * the call returns where it stands, or throws.
   */
  confirm(request: ConfirmRequest): Promise<PaymentStatus>
  /** Returns the provider's own record; null where the provider has no such intent. Definite. */
  retrieve(request: IntentRequest): Promise<ProviderPayment | null>
  /**
   * Ends an intent, whatever its state. `cancelled`: it can authorize nothing any more, and its money was not taken; also for
   * an intent that the provider does not have. `captured`: its money is taken. Definite.
   */
  cancel(request: IntentRequest): Promise<'cancelled' | 'captured'>
  /** Takes the authorized money, once: `done` also where it was taken before. */
  capture(request: CaptureRequest): Promise<CaptureResult>
  /** Returns a part of the money or all of it, once for each `refundId`. Refused where less is left than `amount`. */
  refund(request: RefundRequest): Promise<RefundResult>
  /** The provider's records of an event, each once, in any sequence, with those of orders that our database lacks. */
  list(eventId: string): AsyncIterable<ProviderPayment>
}

/**
 * Thrown by `prepare`: the provider can never take this amount, so no card can pay it. Nothing was sent or done, and the provider is
 * well.
 */
export class CannotCharge extends Error {
  override name = 'CannotCharge'
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

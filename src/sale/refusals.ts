import type { SaleStateName } from './saleView.ts'

/**
 * An expected refusal of the sale. Refusals are returned, not thrown: a client reads the type, never the message.
 * `retryAfterSeconds`: the time after which the same request can succeed; null: never.
 */
export abstract class Refusal {
  abstract readonly message: string
  readonly retryAfterSeconds: number | null

  constructor(retryAfterSeconds: number | null) {
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** Returns the `retryAfterSeconds` of a request that can succeed from `at` on: whole seconds, at least one; null: never. */
export function secondsUntil(at: Date, now: Date): number
export function secondsUntil(at: Date | null, now: Date): number | null
export function secondsUntil(at: Date | null, now: Date): number | null {
  return at && Math.max(1, Math.ceil((at.getTime() - now.getTime()) / 1_000))
}

// ---------------------------------------------------------------- the waiting room

export class QueueNotOpen extends Refusal {
  readonly message = 'The waiting room is not open yet.'
  readonly opensAt: Date
  constructor(opensAt: Date, retryAfterSeconds: number) {
    super(retryAfterSeconds)
    this.opensAt = opensAt
  }
}

export class PlaceOnOtherDevice extends Refusal {
  readonly message =
    'This account has its place on another device. Join with moveHere to move it to this one.'
  constructor() {
    super(null)
  }
}

export class AccountNotVerified extends Refusal {
  readonly message = 'Verify the e-mail address of this account first.'
  constructor() {
    super(null)
  }
}

export class ChallengeRequired extends Refusal {
  readonly message = 'Answer the challenge and join again with the answer.'
  readonly challenge: unknown
  constructor(challenge: unknown) {
    super(null)
    this.challenge = challenge
  }
}

export class PlaceNotWaiting extends Refusal {
  readonly message = 'This place does not wait: it was called or given up, or the line has ended.'
  constructor() {
    super(null)
  }
}

export class SaleOver extends Refusal {
  readonly message: string
  readonly saleState: SaleStateName
  constructor(saleState: 'SOLD_OUT' | 'ENDED') {
    super(null)
    this.saleState = saleState
    this.message = saleState === 'ENDED' ? 'The sale has ended.' : 'The event is sold out.'
  }
}

export class SalePaused extends Refusal {
  readonly message = 'The sale is paused for a moment. Holds stay, and can be paid.'
  constructor(retryAfterSeconds: number) {
    super(retryAfterSeconds)
  }
}

export class SaleNotOpen extends Refusal {
  readonly message = 'The sale is not open yet.'
  readonly opensAt: Date
  constructor(opensAt: Date, retryAfterSeconds: number) {
    super(retryAfterSeconds)
    this.opensAt = opensAt
  }
}

// ---------------------------------------------------------------- holds

export class SeatsTaken extends Refusal {
  readonly message = 'At least one of these seats is gone; none is held.'
  readonly unavailable: readonly string[]
  readonly alternatives: readonly (readonly string[])[]
  constructor(
    unavailable: readonly string[],
    alternatives: readonly (readonly string[])[],
    retryAfterSeconds: number | null,
  ) {
    super(retryAfterSeconds)
    this.unavailable = unavailable
    this.alternatives = alternatives
  }
}

export class SeatsInOwnHold extends Refusal {
  readonly message =
    'This account holds some of these seats already. Exchange that hold for the selection; nothing new is held.'
  readonly holdId: string
  readonly seats: readonly string[]
  constructor(holdId: string, seats: readonly string[], retryAfterSeconds: number) {
    super(retryAfterSeconds)
    this.holdId = holdId
    this.seats = seats
  }
}

export class NotEnoughAvailable extends Refusal {
  readonly message = 'Not enough is available; nothing is held.'
  readonly available: number
  constructor(available: number, retryAfterSeconds: number | null) {
    super(retryAfterSeconds)
    this.available = available
  }
}

export class OrphanSeats extends Refusal {
  readonly message = 'This choice would leave single seats behind where a better choice exists.'
  readonly stranded: readonly string[]
  constructor(stranded: readonly string[]) {
    super(null)
    this.stranded = stranded
  }
}

export class WheelchairSeatRequired extends Refusal {
  readonly message = 'A companion seat is sold only with its wheelchair seat.'
  readonly wheelchairSeats: readonly string[]
  constructor(wheelchairSeats: readonly string[]) {
    super(null)
    this.wheelchairSeats = wheelchairSeats
  }
}

export class TicketLimitReached extends Refusal {
  readonly message: string
  readonly limit: number
  readonly used: number
  constructor(limit: number, used: number, retryAfterSeconds: number | null) {
    super(retryAfterSeconds)
    this.limit = limit
    this.used = used
    this.message = `One account may hold and own ${limit} tickets for this event; this one has ${used}.`
  }
}

/** Whose limit refuses a hold. */
export type HoldLimitScope = 'ACCOUNT' | 'DEVICE' | 'ADDRESS'

export class TooManyHolds extends Refusal {
  readonly message: string
  readonly scope: HoldLimitScope
  constructor(scope: HoldLimitScope, retryAfterSeconds: number | null) {
    super(retryAfterSeconds)
    this.scope = scope
    this.message = TOO_MANY[scope]
  }
}

const TOO_MANY: Readonly<Record<HoldLimitScope, string>> = {
  ACCOUNT: 'This account has made too many holds. Wait before the next one.',
  DEVICE:
    'Accounts on this device hold as many seats as one device may. Wait until one of them pays or releases.',
  ADDRESS:
    'Fans at this internet address hold as many seats as one address may. Wait until one of them pays or releases, or use another network.',
}

export class AdmissionRequired extends Refusal {
  readonly message = 'This sale has a waiting room: join it and wait to be admitted.'
  constructor() {
    super(null)
  }
}

export class HoldNotFound extends Refusal {
  readonly message = 'There is no such hold.'
  constructor() {
    super(null)
  }
}

export class HoldInCheckout extends Refusal {
  readonly message = 'An order is paying for this hold; wait for the order.'
  constructor(retryAfterSeconds: number) {
    super(retryAfterSeconds)
  }
}

// ---------------------------------------------------------------- checkout

export class PaymentDeclined extends Refusal {
  readonly message = 'The card was declined. The hold stays, for another card.'
  /** The order's id. */
  readonly orderId: string
  constructor(orderId: string) {
    super(null)
    this.orderId = orderId
  }
}

export class SeatsGone extends Refusal {
  readonly message = 'The hold is over, and its seats are not this account’s any more. No money was taken.'
  /** The order's id. */
  readonly orderId: string
  constructor(orderId: string) {
    super(null)
    this.orderId = orderId
  }
}

export class CheckoutBusy extends Refusal {
  readonly message = 'Payments are at their limit. The hold is safe; try again in a moment.'
  constructor(retryAfterSeconds: number) {
    super(retryAfterSeconds)
  }
}

// ---------------------------------------------------------------- waitlist

/** The hold that can succeed for a wish of the waitlist now. */
export interface HoldableWish {
  /** From 0, in the order of the wishes. */
  readonly wish: number
  readonly quantity: number
  readonly together: boolean
  /** The area of general admission to hold in. */
  readonly areaId: string | null
  /** Wheelchair and companion seats to hold by name. */
  readonly seats: readonly string[]
}

export class NotSoldOut extends Refusal {
  readonly message = 'These seats are on sale: hold them instead.'
  /** The free seats of the whole event. */
  readonly available: number
  /** Null where the sale is not open yet. */
  readonly holdable: HoldableWish | null
  constructor(available: number, holdable: HoldableWish | null) {
    super(null)
    this.available = available
    this.holdable = holdable
  }
}

import type { CatalogueEvent } from '../catalogue/catalogue.ts'
import { badInput, idempotencyKeyReused } from '../faults.ts'
import {
  AdmissionRequired,
  NotEnoughAvailable,
  OrphanSeats,
  SaleNotOpen,
  SaleOver,
  SalePaused,
  SeatsInOwnHold,
  SeatsTaken,
  secondsUntil,
  TicketLimitReached,
  TooManyHolds,
  WheelchairSeatRequired,
} from '../refusals.ts'
import type { Alternatives } from './alternatives.ts'
import type { Selection, Verdict } from './holdAttempts.ts'
import { SEATS_PATH } from './holdInput.ts'
import { type HoldView, toHoldView } from './holdView.ts'
import type { SoldOutCheck } from './soldOutCheck.ts'

export type HoldRefusal =
  | SeatsTaken
  | SeatsInOwnHold
  | NotEnoughAvailable
  | OrphanSeats
  | WheelchairSeatRequired
  | TicketLimitReached
  | TooManyHolds
  | AdmissionRequired
  | SaleNotOpen
  | SalePaused
  | SaleOver

export interface HoldResults {
  /** Returns the hold or the refusal of a verdict. Throws BAD_USER_INPUT and IDEMPOTENCY_KEY_REUSED. */
  toResult(event: CatalogueEvent, selection: Selection, answer: Verdict): Promise<HoldView | HoldRefusal>
}

export function createHoldResults(alternatives: Alternatives, isSoldOut: SoldOutCheck): HoldResults {
  return {
    async toResult(event, selection, answer) {
      switch (answer.outcome) {
        case 'held':
        case 'known':
          return toHoldView(event.id, answer)
        case 'taken': {
          if (await isSoldOut(event.id)) return new SaleOver('SOLD_OUT')
          const blocks = selection.kind === 'seats' ? await alternatives.near(event, selection.seatNos) : []
          return new SeatsTaken(
            answer.taken.map(event.seatId),
            blocks.map((block) => block.map(event.seatId)),
            secondsUntil(answer.retryAt, answer.asOf),
          )
        }
        case 'own_seats':
          return new SeatsInOwnHold(
            answer.holdId,
            answer.taken.map(event.seatId),
            secondsUntil(answer.retryAt, answer.asOf),
          )
        case 'not_enough':
          if (await isSoldOut(event.id)) return new SaleOver('SOLD_OUT')
          return new NotEnoughAvailable(answer.available, jitteredWait())
        case 'orphans':
          return new OrphanSeats(answer.stranded.map(event.seatId))
        case 'wheelchair_required':
          return new WheelchairSeatRequired(answer.wheelchairSeats.map(event.seatId))
        case 'ticket_limit':
          return new TicketLimitReached(
            answer.ticketLimit,
            answer.used,
            secondsUntil(answer.retryAt, answer.asOf),
          )
        case 'too_many_holds':
          return new TooManyHolds('ACCOUNT', secondsUntil(answer.retryAt, answer.asOf))
        case 'device_limit':
          return new TooManyHolds('DEVICE', secondsUntil(answer.retryAt, answer.asOf))
        case 'address_limit':
          return new TooManyHolds('ADDRESS', secondsUntil(answer.retryAt, answer.asOf))
        case 'crowded':
          return new TooManyHolds('ADDRESS', 1)
        case 'not_open':
          return new SaleNotOpen(answer.retryAt, secondsUntil(answer.retryAt, answer.asOf))
        case 'paused':
          return new SalePaused(jitteredWait())
        case 'sold_out':
          return new SaleOver('SOLD_OUT')
        case 'ended':
          return new SaleOver('ENDED')
        case 'admission_required':
          return new AdmissionRequired()
        case 'key_reused':
          throw idempotencyKeyReused()
        case 'no_seat_picking':
          throw badInput({
            path: [...SEATS_PATH],
            message: 'This sale takes sections and quantities only, no named seats.',
          })
        case 'no_sale':
          throw new Error(`event ${event.id} has a plan and no sale`)
      }
    },
  }
}

/** Seconds until a retry where its best time is unknown; the jitter spreads callers that were refused together. */
function jitteredWait(): number {
  return 5 + Math.floor(6 * Math.random())
}

import { HELD, type SeatChange, seatChanges } from '../../seatStatus.ts'

export type HoldState = 'ACTIVE' | 'EXPIRED' | 'RELEASED' | 'SOLD'

/** A hold with its items, see prisma/functions/read_hold.sql. */
export interface HoldRow {
  holdId: string
  state: HoldState
  amount: bigint
  currency: string
  expiresAt: Date
  orderId: string | null
  /** Ascending; the other arrays follow its order. */
  seatNos: number[]
  levelNos: number[]
  prices: bigint[]
  fees: bigint[]
  asOf: Date
}

/** One member for each outcome, so that a switch narrows the type. */
export type Each<Outcome extends string, Rest = unknown> = Outcome extends string
  ? { outcome: Outcome } & Rest
  : never

/** The answer of a function that makes a hold. prisma/functions/hold_seats.sql lists the fields of each outcome. */
export type HoldAnswerRow =
  | Each<'held', HoldRow & { changes: SeatChange[]; fromRow: number | null }>
  | Each<'known', HoldRow>
  | Each<'taken', { taken: number[]; retryAt: Date | null; asOf: Date }>
  | Each<'own_seats', { holdId: string; taken: number[]; retryAt: Date; asOf: Date }>
  | Each<'not_enough', { available: number }>
  | Each<'unseen'>
  | Each<'orphans', { stranded: number[] }>
  | Each<'wheelchair_required', { wheelchairSeats: number[] }>
  | Each<'ticket_limit', { ticketLimit: number; used: number; retryAt: Date | null; asOf: Date }>
  | Each<'too_many_holds' | 'device_limit' | 'address_limit' | 'not_open', { retryAt: Date; asOf: Date }>
  | Each<'missed' | 'locked' | 'busy' | 'crowded' | 'key_reused' | 'admission_required'>
  | Each<'no_seat_picking' | 'paused' | 'sold_out' | 'ended' | 'no_sale'>

/** An answer as one column of JSON: node-postgres and Prisma each go over every column (`bench/hold.ts`). */
export interface AnswerRow {
  answer: AnswerJson
}

/** The type hold_answer of the database. Null is each field that its outcome does not have. */
interface AnswerJson {
  outcome: string | null
  hold_id: string
  state: HoldState
  amount: number | null
  currency: string
  expires_at: string | null
  order_id: string | null
  seat_nos: number[]
  level_nos: number[]
  prices: number[]
  fees: number[]
  revisions: number[] | null
  taken: number[]
  stranded: number[]
  wheelchair_seats: number[]
  available: number
  from_row: number | null
  ticket_limit: number
  used: number
  retry_at: string | null
  as_of: string | null
}

export function readAnswer(json: AnswerJson): HoldAnswerRow {
  const { outcome, taken, stranded, available, used } = json
  const retryAt = dateOf(json.retry_at)
  const asOf = dateOf(json.as_of)
  if (json.amount === null) {
    const { hold_id: holdId, wheelchair_seats: wheelchairSeats, ticket_limit: ticketLimit } = json
    const limits = { available, ticketLimit, used, retryAt, asOf }
    return { outcome, holdId, taken, stranded, wheelchairSeats, ...limits } as HoldAnswerRow
  }
  return {
    outcome,
    holdId: json.hold_id,
    state: json.state,
    amount: BigInt(json.amount),
    currency: json.currency,
    expiresAt: dateOf(json.expires_at),
    orderId: json.order_id,
    seatNos: json.seat_nos,
    levelNos: json.level_nos,
    prices: json.prices.map(BigInt),
    fees: json.fees.map(BigInt),
    changes: json.revisions && seatChanges(json.seat_nos, HELD, json.revisions),
    fromRow: json.from_row,
    asOf,
  } as HoldAnswerRow
}

function dateOf(text: string | null): Date | null {
  return text === null ? null : new Date(text)
}

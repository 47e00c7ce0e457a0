import type { Database } from './database.ts'
import { PIPELINED } from './pipelines.ts'
import { LOCK_NOT_AVAILABLE, sqlState } from './sqlState.ts'
import { type Statement, statement } from './statement.ts'

export type HoldState = 'ACTIVE' | 'EXPIRED' | 'RELEASED' | 'SOLD'

/** A hold with its items, as prisma/functions/read_hold.sql tells it. */
export interface HoldRow {
  hold_id: string
  state: HoldState
  amount: bigint
  currency: string
  expires_at: Date
  order_id: string | null
  seat_nos: number[]
  level_nos: number[]
  prices: bigint[]
  fees: bigint[]
  as_of: Date
}

/** The admission that a caller has shown: the function looks whether its row still says so. */
export interface ShownAdmission {
  arrival: number
  place: number
  device: Uint8Array<ArrayBuffer>
}

/** What every hold is made with, whatever is to be held. */
export interface NewHold {
  eventId: string
  accountId: string
  idempotencyKey: string
  inputHash: string
  /** The new hold's id, should it come to one. */
  holdId: string
  admission: ShownAdmission | null
  /** Wait for what somebody has locked, for up to 2 s each, instead of answering `missed`. */
  wait: boolean
}

export interface NamedSeats {
  /** Ascending, each once, all of them the event's. */
  seatNos: number[]
  /** Wheelchair seats that are not among them and whose companion seats are. */
  wheelchairSeatNos: number[]
}

export interface BestSeats {
  quantity: number
  /** Null: anywhere. */
  sectionNo: number | null
  levelNo: number | null
  /** Side by side in one row, or nothing. */
  together: boolean
  /** The row to begin to look in, a guess; 0 for the first. */
  fromRow: number
  look: boolean
}

export interface Places {
  quantity: number
  sectionNo: number
  look: boolean
}

/** One member for each outcome, so that a switch tells them apart. */
type Each<Outcome extends string, Rest = unknown> = Outcome extends string
  ? { outcome: Outcome } & Rest
  : never

/** What the functions that make a hold answer; what each outcome tells stands in prisma/functions/hold_seats.sql. */
export type HoldAnswer =
  | Each<'held', HoldRow & { revisions: number[]; from_row: number | null }>
  | Each<'known', HoldRow>
  | Each<'taken', { taken: number[]; retry_at: Date | null; as_of: Date }>
  | Each<'not_enough', { available: number }>
  | Each<'unseen'>
  | Each<'orphans', { stranded: number[] }>
  | Each<'wheelchair_required', { wheelchair_seats: number[] }>
  | Each<'ticket_limit', { ticket_limit: number; used: number; retry_at: Date | null; as_of: Date }>
  | Each<'too_many_holds' | 'not_open', { retry_at: Date; as_of: Date }>
  | Each<'missed' | 'locked' | 'busy' | 'key_reused' | 'admission_required'>
  | Each<'no_seat_picking' | 'paused' | 'sold_out' | 'ended' | 'no_sale'>

/** Holds named seats. `locked` where it was to wait, and did so in vain. */
export function holdSeats(
  db: Database,
  hold: NewHold,
  { seatNos, wheelchairSeatNos }: NamedSeats,
): Promise<HoldAnswer> {
  return make(db, HOLD_SEATS, hold, seatNos, wheelchairSeatNos)
}

/** Holds the best seats that there are, see prisma/functions/hold_best.sql. */
export function holdBest(
  db: Database,
  hold: NewHold,
  { quantity, sectionNo, levelNo, together, fromRow, look }: BestSeats,
): Promise<HoldAnswer> {
  return make(db, HOLD_BEST, hold, sectionNo, levelNo, quantity, together, fromRow, look)
}

/** Holds places of a general-admission area, see prisma/functions/hold_places.sql. */
export function holdPlaces(
  db: Database,
  hold: NewHold,
  { quantity, sectionNo, look }: Places,
): Promise<HoldAnswer> {
  return make(db, HOLD_PLACES, hold, sectionNo, quantity, look)
}

/** A function that makes a hold: what is the same of all of them, then the selection's own. */
interface Making {
  readonly atOnce: Statement
  readonly waiting: Statement
}

const OF_EVERY_HOLD = 9
const HOLD_SEATS = making('hold_seats', 2)
const HOLD_BEST = making('hold_best', 6)
const HOLD_PLACES = making('hold_places', 3)

function making(name: string, own: number): Making {
  const values = Array.from({ length: OF_EVERY_HOLD + own }, (_, i) => `$${i + 1}`)
  const call = `select to_json(a) as answer from ${name}(${values.join(', ')}) a`
  return { atOnce: statement(PIPELINED + call), waiting: statement(call) }
}

function make(db: Database, making: Making, hold: NewHold, ...own: unknown[]): Promise<HoldAnswer> {
  const { eventId, accountId, idempotencyKey, inputHash, holdId, admission, wait } = hold
  const { arrival = null, place = null, device = null } = admission ?? {}
  const called = wait ? making.waiting : making.atOnce
  return answerOf(
    db.prisma.$queryRaw<[Told]>(
      called(eventId, accountId, idempotencyKey, inputHash, holdId, arrival, place, device, wait, ...own),
    ),
  )
}

/** Who asks for which seats: what the gates look at. */
export interface AskedSeats extends Omit<NewHold, 'eventId' | 'holdId' | 'wait'> {
  readonly seatNos: number[]
}

const SEE_GATES = statement(`${PIPELINED}select to_json(a) as answer from see_gates($1, $2) a`)

/** What holds of named seats would be answered before any seat is locked; null where nothing stands in the way. */
export async function seeGates(
  db: Database,
  eventId: string,
  asked: readonly AskedSeats[],
): Promise<(HoldAnswer | null)[]> {
  const shown = asked.map(({ accountId, idempotencyKey, inputHash, admission, seatNos }, i) => ({
    i,
    account: accountId,
    key: idempotencyKey,
    input_hash: inputHash,
    arrival: admission?.arrival,
    place: admission?.place,
    device: admission && Buffer.from(admission.device).toString('hex'),
    seats: seatNos,
  }))
  const rows = await db.prisma.$queryRaw<Told[]>(SEE_GATES(eventId, JSON.stringify(shown)))
  return rows.map(({ answer }) => (answer.outcome === null ? null : readAnswer(answer)))
}

/** What there is to choose from, see prisma/functions/see_best.sql. */
export async function seeBest(
  db: Database,
  eventId: string,
  { quantity, sectionNo, levelNo, together, fromRow }: Omit<BestSeats, 'look'>,
): Promise<{ available: number; first_row: number | null }> {
  const [row] = await db.prisma.$queryRaw<[{ available: number; first_row: number | null }]>`
    select * from see_best(${eventId}, ${sectionNo}, ${levelNo}, ${quantity}, ${together}, ${fromRow})`
  return row
}

/** How many places are free, up to `quantity`: see prisma/functions/see_places.sql. */
export async function seePlaces(
  db: Database,
  eventId: string,
  { quantity, sectionNo }: Omit<Places, 'look'>,
): Promise<number> {
  const [row] = await db.prisma.$queryRaw<[{ available: number }]>`
    select * from see_places(${eventId}, ${sectionNo}, ${quantity}) as available`
  return row.available
}

/**
 * A hold's answer as JSON: one column, where node-postgres and Prisma each go over every one of twenty-one (230 µs of
 * processor time a call in a loop, 190 so).
 */
interface Told {
  answer: Record<string, unknown>
}

const TIMES = ['expires_at', 'retry_at', 'as_of']

function readAnswer(answer: Told['answer']): HoldAnswer {
  for (const time of TIMES) if (answer[time] !== null) answer[time] = new Date(answer[time] as string)
  if (answer.amount !== null) {
    answer.amount = BigInt(answer.amount as number)
    answer.prices = (answer.prices as number[]).map(BigInt)
    answer.fees = (answer.fees as number[]).map(BigInt)
  }
  return answer as unknown as HoldAnswer
}

async function answerOf(rows: Promise<[Told]>): Promise<HoldAnswer> {
  try {
    const [{ answer }] = await rows
    return readAnswer(answer)
  } catch (error) {
    if (sqlState(error) === LOCK_NOT_AVAILABLE) return { outcome: 'locked' }
    throw error
  }
}

export type ReleaseHoldRow =
  | Each<'released' | 'over', HoldRow & { freed: number[] | null; revisions: number[] | null }>
  | Each<'in_checkout' | 'not_found'>

/** See prisma/functions/release_hold.sql. */
export async function releaseHold(
  db: Database,
  eventId: string,
  holdId: string,
  accountId: string,
): Promise<ReleaseHoldRow> {
  const [row] = await db.prisma.$queryRaw<[ReleaseHoldRow]>`
    select * from release_hold(${eventId}, ${holdId}, ${accountId})`
  return row
}

export interface ExpiredHoldRow {
  hold_id: string
  freed: number[] | null
  revisions: number[] | null
}

/** Tidies up to `limit` holds that ran out, see prisma/functions/expire_holds.sql. */
export function expireHolds(db: Database, eventId: string, limit: number): Promise<ExpiredHoldRow[]> {
  return db.prisma.$queryRaw`select * from expire_holds(${eventId}, ${limit})`
}

export async function readHold(
  db: Database,
  eventId: string,
  holdId: string,
): Promise<(HoldRow & { account_id: string }) | null> {
  const [row] = await db.prisma.$queryRaw<(HoldRow & { account_id: string })[]>`
    select * from read_hold(${eventId}, ${holdId})`
  return row ?? null
}

/** Several at once, in no order; those that there are. */
export function readHolds(
  db: Database,
  eventIds: string[],
  holdIds: string[],
): Promise<(HoldRow & { event_id: string; account_id: string })[]> {
  return db.prisma.$queryRaw`
    select h.event_id, r.*
    from unnest(${eventIds}::text[], ${holdIds}::text[]) h (event_id, id)
    cross join lateral read_hold(h.event_id, h.id) r`
}

/** An account's holds that have time left, for one event or all, the first to run out first. */
export function readActiveHolds(
  db: Database,
  accountId: string,
  eventId: string | null,
): Promise<(HoldRow & { event_id: string })[]> {
  return db.prisma.$queryRaw`
    select h.event_id, r.*
    from holds h cross join lateral read_hold(h.event_id, h.id) r
    where h.account_id = ${accountId} and (${eventId}::text is null or h.event_id = ${eventId})
      and h.ended_at is null and h.expires_at > now()
    order by h.expires_at, h.id`
}

/** Ids of the events, on sale or not, in which a hold has run out and is not tidied. */
export async function eventsWithHoldsToTidy(db: Database): Promise<string[]> {
  const rows = await db.prisma.$queryRaw<{ eventId: string }[]>`
    select distinct event_id as "eventId" from holds where ended_at is null and expires_at <= now()`
  return rows.map(({ eventId }) => eventId)
}

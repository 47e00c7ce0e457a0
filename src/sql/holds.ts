import { Prisma } from '#prisma'
import { AVAILABLE, type SeatChange, seatChanges } from '../seatStatus.ts'
import type { Database } from './database/database.ts'
import { LOCK_NOT_AVAILABLE, sqlState } from './database/sqlState.ts'
import { type Statement, statement } from './database/statement.ts'
import { type AnswerRow, type Each, type HoldAnswerRow, type HoldRow, readAnswer } from './holdAnswers.ts'

/** Of `r`, which stands for read_hold or a function that returns the same columns. */
const HOLD_COLUMNS = `r.hold_id as "holdId", r.state, r.amount, r.currency, r.expires_at as "expiresAt",
  r.order_id as "orderId", r.seat_nos as "seatNos", r.level_nos as "levelNos", r.prices, r.fees, r.as_of as "asOf"`

/** The admission that a caller has shown: the function checks it against its row. */
export interface ShownAdmission {
  arrival: number
  place: number
  device: Uint8Array<ArrayBuffer>
}

/** Digests of the client's device and address; null where they are unknown. */
export interface HoldOrigin {
  device: Uint8Array<ArrayBuffer> | null
  address: Uint8Array<ArrayBuffer> | null
}

/** The parameters of every hold: of seats, best seats or general admission. */
export interface NewHold {
  eventId: string
  accountId: string
  idempotencyKey: string
  inputHash: string
  /** The id that the hold gets if it is made. */
  holdId: string
  admission: ShownAdmission | null
  /** Whose limits count the hold; left out: none. */
  origin?: HoldOrigin
  /** Wait for locked seats and rows, for up to 2 s each, instead of returning `missed`. */
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
  /** Null: any section. */
  sectionNo: number | null
  /** Null: any price level. */
  levelNo: number | null
  /** Side by side in one row, or no hold. */
  together: boolean
  /** The row where the search begins, a guess; 0 for the first. */
  fromRow: number
  /** False: check the gates, and return `unseen` instead of looking at seats. */
  look: boolean
}

export interface GeneralAdmission {
  quantity: number
  sectionNo: number
  /** False: check the gates, and return `unseen` instead of looking at units. */
  look: boolean
}

/** Calls hold_seats, once. `locked` where it waited for a lock in vain. */
export function callHoldSeats(
  db: Database,
  hold: NewHold,
  { seatNos, wheelchairSeatNos }: NamedSeats,
): Promise<HoldAnswerRow> {
  return call(db, HOLD_SEATS, hold, seatNos, wheelchairSeatNos)
}

/** Calls hold_best, once: see prisma/functions/hold_best.sql. */
export function callHoldBest(
  db: Database,
  hold: NewHold,
  { quantity, sectionNo, levelNo, together, fromRow, look }: BestSeats,
): Promise<HoldAnswerRow> {
  return call(db, HOLD_BEST, hold, sectionNo, levelNo, quantity, together, fromRow, look)
}

/** Calls hold_general_admission, once: see prisma/functions/hold_general_admission.sql. */
export function callHoldGeneralAdmission(
  db: Database,
  hold: NewHold,
  { quantity, sectionNo, look }: GeneralAdmission,
): Promise<HoldAnswerRow> {
  return call(db, HOLD_GENERAL_ADMISSION, hold, sectionNo, quantity, look)
}

/** The first nine, and the address at the end. */
const COMMON_PARAMETERS = 10
const HOLD_SEATS = holdFunction('hold_seats', 2)
const HOLD_BEST = holdFunction('hold_best', 6)
const HOLD_GENERAL_ADMISSION = holdFunction('hold_general_admission', 3)

/** A function that makes a hold: the parameters of every hold, and between them `own` that only its selection has. */
function holdFunction(name: string, own: number): Statement {
  const parameters = Array.from({ length: COMMON_PARAMETERS + own }, (_, i) => `$${i + 1}`)
  return statement(name, `select to_json(a) as answer from ${name}(${parameters.join(', ')}) a`)
}

async function call(
  db: Database,
  holdFunction: Statement,
  hold: NewHold,
  ...own: unknown[]
): Promise<HoldAnswerRow> {
  const { eventId, accountId, idempotencyKey, inputHash, holdId, admission, origin, wait } = hold
  const { arrival = null, place = null } = admission ?? {}
  const device = admission?.device ?? origin?.device ?? null
  const common = [eventId, accountId, idempotencyKey, inputHash, holdId, arrival, place, device, wait]
  const bound = holdFunction(...common, ...own, origin?.address ?? null)
  try {
    // A pipelined statement must not wait for locks.
    const rows = wait ? await db.prisma.$queryRaw<AnswerRow[]>(bound) : await db.pipelined<AnswerRow>(bound)
    return readAnswer((rows[0] as AnswerRow).answer)
  } catch (error) {
    if (sqlState(error) === LOCK_NOT_AVAILABLE) return { outcome: 'locked' }
    throw error
  }
}

/** A selection for an exchange: named seats, best seats, or units of general admission. */
export type ExchangedFor = NamedSeats | Omit<BestSeats, 'fromRow' | 'look'> | Omit<GeneralAdmission, 'look'>

export type ExchangeHoldRow =
  | { answer: HoldAnswerRow; changes: SeatChange[] }
  | { answer: Each<'hold_not_found' | 'in_checkout'>; changes: [] }

const EXCHANGE_HOLD = statement(
  'exchange_hold',
  `select to_json(x.answer) as answer, x.freed, x.revisions
   from exchange_hold(${Array.from({ length: 16 }, (_, i) => `$${i + 1}`).join(', ')}) x`,
)

/** Replaces the hold `replacedId` by `hold`, once; `changes`: the seats that it frees. See prisma/functions/exchange_hold.sql. */
export async function exchangeHold(
  db: Database,
  hold: Omit<NewHold, 'wait'>,
  replacedId: string,
  selection: ExchangedFor,
): Promise<ExchangeHoldRow> {
  const { eventId, accountId, idempotencyKey, inputHash, holdId, admission, origin } = hold
  const seats = 'seatNos' in selection ? selection : null
  const quantity = 'quantity' in selection ? selection : null
  const best = quantity && 'together' in quantity ? quantity : null
  const [row] = await db.prisma.$queryRaw<[AnswerRow & FreedSeats]>(
    EXCHANGE_HOLD(
      eventId,
      accountId,
      idempotencyKey,
      inputHash,
      holdId,
      admission?.arrival ?? null,
      admission?.place ?? null,
      admission?.device ?? origin?.device ?? null,
      replacedId,
      seats?.seatNos ?? null,
      seats?.wheelchairSeatNos ?? null,
      quantity?.sectionNo ?? null,
      best?.levelNo ?? null,
      quantity?.quantity ?? null,
      best?.together ?? null,
      origin?.address ?? null,
    ),
  )
  return { answer: readAnswer(row.answer), changes: changesOfFreed(row) } as ExchangeHoldRow
}

/** A hold of named seats that has not been made, with the fields that the gates read. */
export interface GateRequest extends Omit<NewHold, 'eventId' | 'holdId' | 'origin' | 'wait'> {
  readonly seatNos: number[]
}

const SEE_GATES = statement('see_gates', 'select to_json(a) as answer from see_gates($1, $2) a')

/** Returns the refusal of each hold of named seats before any seat is locked; null where the gates let the hold pass. */
export async function seeGates(
  db: Database,
  eventId: string,
  requests: readonly GateRequest[],
): Promise<(HoldAnswerRow | null)[]> {
  const asJson = requests.map(({ accountId, idempotencyKey, inputHash, admission, seatNos }, i) => ({
    i,
    account: accountId,
    key: idempotencyKey,
    input_hash: inputHash,
    arrival: admission?.arrival,
    place: admission?.place,
    device: admission && Buffer.from(admission.device).toString('hex'),
    seats: seatNos,
  }))
  const rows = await db.pipelined<AnswerRow>(SEE_GATES(eventId, JSON.stringify(asJson)))
  return rows.map(({ answer }) => (answer.outcome === null ? null : readAnswer(answer)))
}

const SEE_BEST = statement(
  'see_best',
  'select available, first_row as "firstRow" from see_best($1, $2, $3, $4, $5, $6)',
)

/** Returns the seats to choose from, see prisma/functions/see_best.sql. */
export async function seeBest(
  db: Database,
  eventId: string,
  { quantity, sectionNo, levelNo, together, fromRow }: Omit<BestSeats, 'look'>,
): Promise<{ available: number; firstRow: number | null }> {
  const [row] = await db.prisma.$queryRaw<[{ available: number; firstRow: number | null }]>(
    SEE_BEST(eventId, sectionNo, levelNo, quantity, together, fromRow),
  )
  return row
}

const SEE_GENERAL_ADMISSION = statement(
  'see_general_admission',
  'select available from see_general_admission($1, $2, $3) available',
)

/** Returns the number of free units, up to `quantity`: see prisma/functions/see_general_admission.sql. */
export async function seeGeneralAdmission(
  db: Database,
  eventId: string,
  { quantity, sectionNo }: Omit<GeneralAdmission, 'look'>,
): Promise<number> {
  const [row] = await db.prisma.$queryRaw<[{ available: number }]>(
    SEE_GENERAL_ADMISSION(eventId, sectionNo, quantity),
  )
  return row.available
}

/** Seats that a statement freed, in the order of their numbers; null for none. */
export interface FreedSeats {
  freed: number[] | null
  revisions: number[] | null
}

export function changesOfFreed({ freed, revisions }: FreedSeats): SeatChange[] {
  return freed && revisions ? seatChanges(freed, AVAILABLE, revisions) : []
}

export type ReleaseHoldRow =
  | Each<'released' | 'over', HoldRow & { changes: SeatChange[] }>
  | Each<'in_checkout' | 'not_found'>

const RELEASE_HOLD = statement(
  'release_hold',
  `select r.outcome, ${HOLD_COLUMNS}, r.freed, r.revisions from release_hold($1, $2, $3) r`,
)

/** See prisma/functions/release_hold.sql. */
export async function releaseHold(
  db: Database,
  eventId: string,
  holdId: string,
  accountId: string,
): Promise<ReleaseHoldRow> {
  const [{ freed, revisions, ...row }] = await db.prisma.$queryRaw<[ReleaseHoldRow & FreedSeats]>(
    RELEASE_HOLD(eventId, holdId, accountId),
  )
  return { ...row, changes: changesOfFreed({ freed, revisions }) } as ReleaseHoldRow
}

export interface ExpiredHoldRow {
  holdId: string
  changes: SeatChange[]
}

const EXPIRE_HOLDS = statement(
  'expire_holds',
  'select hold_id as "holdId", freed, revisions from expire_holds($1, $2)',
)

/** Ends up to `limit` holds whose time has run out, see prisma/functions/expire_holds.sql. */
export async function expireHolds(db: Database, eventId: string, limit: number): Promise<ExpiredHoldRow[]> {
  const rows = await db.prisma.$queryRaw<({ holdId: string } & FreedSeats)[]>(EXPIRE_HOLDS(eventId, limit))
  return rows.map(({ holdId, ...freed }) => ({ holdId, changes: changesOfFreed(freed) }))
}

const READ_HOLD = statement(
  'read_hold',
  `select r.account_id as "accountId", ${HOLD_COLUMNS} from read_hold($1, $2) r`,
)

/** Null where there is no such hold. */
export async function readHold(
  db: Database,
  eventId: string,
  holdId: string,
): Promise<(HoldRow & { accountId: string }) | null> {
  const [row] = await db.prisma.$queryRaw<(HoldRow & { accountId: string })[]>(READ_HOLD(eventId, holdId))
  return row ?? null
}

/** Several holds at once, in no order. A hold that does not exist has no row. */
export function readHolds(
  db: Database,
  eventIds: string[],
  holdIds: string[],
): Promise<(HoldRow & { eventId: string; accountId: string })[]> {
  return db.prisma.$queryRaw`
    select h.event_id as "eventId", r.account_id as "accountId", ${Prisma.raw(HOLD_COLUMNS)}
    from unnest(${eventIds}::text[], ${holdIds}::text[]) h (event_id, id)
    cross join lateral read_hold(h.event_id, h.id) r`
}

/** An account's holds that have time left, for one event or all, the first to run out first. */
export function readActiveHolds(
  db: Database,
  accountId: string,
  eventId: string | null,
): Promise<(HoldRow & { eventId: string })[]> {
  return db.prisma.$queryRaw`
    select h.event_id as "eventId", ${Prisma.raw(HOLD_COLUMNS)}
    from holds h cross join lateral read_hold(h.event_id, h.id) r
    where h.account_id = ${accountId} and (${eventId}::text is null or h.event_id = ${eventId})
      and h.ended_at is null and h.expires_at > (select sale_clock())
    order by h.expires_at, h.id`
}

/** An event with a hold that has not been ended. */
export interface EventWithHolds {
  readonly eventId: string
  /** The time of one of them has run out. */
  readonly hasEnded: boolean
}

/** The events with holds that have not been ended, on sale or not. See prisma/functions/events_with_holds.sql. */
export async function findEventsWithHolds({ pool }: Database): Promise<EventWithHolds[]> {
  const { rows } = await pool.query(
    'select event_id as "eventId", has_ended as "hasEnded" from events_with_holds()',
  )
  return rows
}

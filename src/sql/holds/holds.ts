import type { Database } from '../database/database.ts'
import { LOCK_NOT_AVAILABLE, sqlState } from '../database/sqlState.ts'
import { type Statement, statement } from '../database/statement.ts'
import { type AnswerRow, type HoldAnswerRow, readAnswer } from './holdAnswers.ts'

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
    const rows = wait
      ? await db.prisma.$queryRaw<AnswerRow[]>(bound)
      : await db.pipelined<AnswerRow>(bound, eventId)
    return readAnswer((rows[0] as AnswerRow).answer)
  } catch (error) {
    if (sqlState(error) === LOCK_NOT_AVAILABLE) return { outcome: 'locked' }
    throw error
  }
}

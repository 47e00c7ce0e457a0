import { AVAILABLE, type SeatChange, seatChanges } from '../../seatStatus.ts'
import type { Database } from '../database/database.ts'
import { statement } from '../database/statement.ts'
import type { Each, HoldRow } from './holdAnswers.ts'
import { HOLD_COLUMNS } from './readHolds.ts'

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

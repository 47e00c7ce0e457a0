import { Prisma } from '#prisma'
import type { Database } from '../database/database.ts'
import { statement } from '../database/statement.ts'
import type { HoldRow } from './holdAnswers.ts'

/** Of `r`, which stands for read_hold or a function that returns the same columns. */
export const HOLD_COLUMNS = `r.hold_id as "holdId", r.state, r.amount, r.currency, r.expires_at as "expiresAt",
  r.order_id as "orderId", r.seat_nos as "seatNos", r.level_nos as "levelNos", r.prices, r.fees, r.as_of as "asOf"`

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

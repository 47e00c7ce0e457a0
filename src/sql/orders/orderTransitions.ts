import type { DeclineReason } from '../../declineReason.ts'
import { AVAILABLE, HELD, type SeatChange, SOLD } from '../../seatStatus.ts'
import type { Database } from '../database/database.ts'
import { statement } from '../database/statement.ts'
import { inTransaction } from '../database/transaction.ts'
import { changesTo, type RevisedSeats } from '../holds/revisedSeats.ts'
import { writeAudit } from '../ops/audit.ts'

export interface SaleOfOrderRow {
  outcome: 'sold' | 'seats_gone' | 'settled'
  changes: SeatChange[]
  /** The arrival index of the admission that the sale ended. */
  endedArrival: number | null
}

const SELL_ORDER = statement(
  'sell_order',
  `select outcome, seat_nos as "seatNos", revisions, ended_arrival as "endedArrival"
   from sell_order($1, $2, $3::timestamptz)`,
)

/**
 * PAYING -> CONFIRMED or SEATS_GONE; `authorizedUntil` null where the order costs nothing.
 * See prisma/functions/sell_order.sql.
 */
export async function sellOrder(
  db: Database,
  eventId: string,
  orderId: string,
  authorizedUntil: Date | null,
): Promise<SaleOfOrderRow> {
  const [{ outcome, endedArrival, ...seats }] = await db.prisma.$queryRaw<
    [Omit<SaleOfOrderRow, 'changes'> & RevisedSeats]
  >(SELL_ORDER(eventId, orderId, authorizedUntil))
  return { outcome, endedArrival, changes: changesTo(SOLD, seats) }
}

/** What a transition did; `outbox`: it left a row in the outbox. */
export interface TransitionRow {
  done: boolean
  changes: SeatChange[]
  outbox: boolean
}

const DECLINE_ORDER = statement(
  'decline_order',
  `select declined as done, seat_nos as "seatNos", revisions, outbox from decline_order($1, $2, $3, $4)`,
)

/**
 * PAYING -> DECLINED; `cancelled`: the provider has reported that the payment can authorize nothing more.
 * See prisma/functions/decline_order.sql.
 */
export async function declineOrder(
  db: Database,
  eventId: string,
  orderId: string,
  reason: DeclineReason,
  { cancelled }: { cancelled: boolean },
): Promise<TransitionRow> {
  const [row] = await db.prisma.$queryRaw<[Omit<TransitionRow, 'changes'> & RevisedSeats]>(
    DECLINE_ORDER(eventId, orderId, reason, cancelled),
  )
  return { done: row.done, outbox: row.outbox, changes: changesTo(HELD, row) }
}

export type EndOfOrder = 'LOST' | 'OVER' | 'NOW'

const END_ORDER = statement(
  'end_order',
  `select ended as done, seat_nos as "seatNos", revisions, outbox from end_order($1, $2, $3, $4)`,
)

/**
 * PAYING -> SEATS_GONE, and its seats go back on sale. `cancelled`: the intent that the provider has reported as cancelled.
 * See prisma/functions/end_order.sql.
 */
export async function endOrder(
  db: Database,
  eventId: string,
  orderId: string,
  when: EndOfOrder,
  { cancelled }: { cancelled: string | null },
): Promise<TransitionRow> {
  const [row] = await db.prisma.$queryRaw<[Omit<TransitionRow, 'changes'> & RevisedSeats]>(
    END_ORDER(eventId, orderId, when, cancelled),
  )
  return { done: row.done, outbox: row.outbox, changes: changesTo(AVAILABLE, row) }
}

export interface CancelRow {
  cancelled: boolean
  changes: SeatChange[]
}

const CANCEL_ORDER = statement(
  'cancel_order',
  'select cancelled, seat_nos as "seatNos", revisions from cancel_order($1, $2)',
)

/** CONFIRMED, its money AUTHORIZED -> CANCELLED. See prisma/functions/cancel_order.sql. */
export async function cancelOrder(db: Database, eventId: string, orderId: string): Promise<CancelRow> {
  const [{ cancelled, ...seats }] = await db.prisma.$queryRaw<[Pick<CancelRow, 'cancelled'> & RevisedSeats]>(
    CANCEL_ORDER(eventId, orderId),
  )
  return { cancelled, changes: changesTo(AVAILABLE, seats) }
}

/** Stores the intent of a PAYING order that has none; false where it has one, or is settled. */
export async function storeIntent(
  db: Database,
  eventId: string,
  orderId: string,
  intentId: string,
): Promise<boolean> {
  const changed = await db.prisma.$executeRaw`
    update orders
      set intent_id = ${intentId}
      where event_id = ${eventId} and id = ${orderId} and state = 'PAYING' and intent_id is null`
  return changed === 1
}

/**
 * Stores what the buyer of a PAYING order must do; null where nothing any more. The action ends with the order's own time at
 * the latest. False where nothing changed.
 */
export async function storeAction(
  db: Database,
  eventId: string,
  orderId: string,
  action: { clientSecret: string | null; url: string | null; expiresAt: Date | null } | null,
): Promise<boolean> {
  const given = action && JSON.stringify({ clientSecret: action.clientSecret, url: action.url })
  const changed = await db.prisma.$executeRaw`
    update orders o
      set next_action = n.action, changed_at = now()
      from (
        select x.id, ${given}::jsonb || jsonb_build_object('expiresAt', to_char(
            least(${action?.expiresAt ?? null}::timestamptz, x.pay_until) at time zone 'UTC',
            'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) as action
          from orders x
          where x.event_id = ${eventId} and x.id = ${orderId}
      ) n
      where o.event_id = ${eventId} and o.id = n.id and o.state = 'PAYING'
        and o.next_action is distinct from n.action`
  return changed === 1
}

/** CONFIRMED, its money AUTHORIZED -> CAPTURED; false where it was something else. */
export async function markCaptured(db: Database, eventId: string, orderId: string): Promise<boolean> {
  const changed = await db.prisma.$executeRaw`
    update orders
      set payment = 'CAPTURED', money_due = null, changed_at = now()
      where event_id = ${eventId} and id = ${orderId} and state = 'CONFIRMED' and payment = 'AUTHORIZED'`
  return changed === 1
}

/**
 * Marks the money of an order as VOIDED, after the provider has reported its cancel; false where no cancel was due. A declined
 * card held no money, so its order's payment stays NONE.
 */
export async function markCancelled(db: Database, eventId: string, orderId: string): Promise<boolean> {
  const changed = await db.prisma.$executeRaw`
    update orders
      set payment = case state when 'DECLINED' then payment else 'VOIDED' end, money_due = null, changed_at = now()
      where event_id = ${eventId} and id = ${orderId} and money_due = 'CANCEL'`
  return changed === 1
}

/** Ends a PAYING order whose payment the provider has cancelled, and writes the audit entry in the same commit. */
export function endOrderByOps(
  db: Database,
  eventId: string,
  orderId: string,
  { accountId, reason, cancelled }: { accountId: string; reason: string; cancelled: string | null },
): Promise<TransitionRow> {
  return inTransaction(db, async (client) => {
    const { text, values } = END_ORDER(eventId, orderId, 'NOW', cancelled)
    const { rows } = await client.query(text, values as unknown[])
    const [row] = rows as [Omit<TransitionRow, 'changes'> & RevisedSeats]
    if (row.done)
      await writeAudit(client, {
        eventId,
        accountId,
        action: 'endPayment',
        subject: orderId,
        detail: { reason },
      })
    return { done: row.done, outbox: row.outbox, changes: changesTo(AVAILABLE, row) }
  })
}

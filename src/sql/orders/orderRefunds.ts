import { AVAILABLE, type SeatChange } from '../../seatStatus.ts'
import type { Database } from '../database/database.ts'
import { inTransaction } from '../database/transaction.ts'
import { changesTo, type RevisedSeats } from '../holds/revisedSeats.ts'
import { writeAudit } from '../ops/audit.ts'
import type { OrderState } from './orders.ts'

export interface OrderRefund {
  eventId: string
  orderId: string
  /** Null: all that are left. */
  ticketIds: readonly string[] | null
  idempotencyKey: string
  inputHash: string
  reason: string
  /** The id that the refund gets. */
  refundId: string
  /** The account that refunds. */
  accountId: string
}

export interface OrderRefundRow {
  outcome:
    | 'refunded'
    | 'known'
    | 'key_reused'
    | 'not_found'
    | 'not_confirmed'
    | 'not_captured'
    | 'unknown_ticket'
    | 'void_ticket'
  state: OrderState | null
  holdId: string | null
  ticketIds: string[] | null
  changes: SeatChange[]
}

/** Refunds an order, whole or by ticket, with the audit entry, in one commit. See prisma/functions/refund_order.sql. */
export function refundOrder(db: Database, refund: OrderRefund): Promise<OrderRefundRow> {
  const { eventId, orderId, ticketIds, idempotencyKey, inputHash, reason, refundId, accountId } = refund
  return inTransaction(db, async (client) => {
    const { rows } = await client.query<
      Omit<OrderRefundRow, 'changes'> & RevisedSeats & { amount: string | null }
    >(
      `select outcome, state, hold_id as "holdId", ticket_ids as "ticketIds", amount, seat_nos as "seatNos", revisions
         from refund_order($1, $2, $3, $4, $5, $6, $7)`,
      [eventId, orderId, ticketIds, idempotencyKey, inputHash, reason, refundId],
    )
    const [{ amount, seatNos, revisions, ...row }] = rows as [(typeof rows)[number]]
    if (row.outcome === 'refunded') {
      await writeAudit(client, {
        eventId,
        accountId,
        action: 'refundOrder',
        subject: orderId,
        detail: { reason, refund: refundId, tickets: row.ticketIds, amount: Number(amount) },
      })
    }
    return { ...row, changes: changesTo(AVAILABLE, { seatNos, revisions }) }
  })
}

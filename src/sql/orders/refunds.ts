import type { Database } from '../database/database.ts'
import { inTransaction } from '../database/transaction.ts'

export type RefundState = 'OWED' | 'DONE' | 'REFUSED'

/** A refund with all that a call to its order's provider needs. */
export interface RefundRow {
  id: string
  eventId: string
  orderId: string
  amount: bigint
  currency: string
  state: RefundState
  /** The attempts that the provider refused. */
  refusals: number
  provider: string
  intentId: string
}

/** Null where there is no such refund. */
export async function readRefund(
  { pool }: Database,
  eventId: string,
  refundId: string,
): Promise<RefundRow | null> {
  const { rows } = await pool.query<Omit<RefundRow, 'amount'> & { amount: string }>(
    `select r.id, r.event_id as "eventId", r.order_id as "orderId", r.amount, o.currency, r.state, r.refusals, o.provider,
         o.intent_id as "intentId"
       from refunds r join orders o on o.event_id = r.event_id and o.id = r.order_id
       where r.event_id = $1 and r.id = $2`,
    [eventId, refundId],
  )
  return rows[0] ? { ...rows[0], amount: BigInt(rows[0].amount) } : null
}

/** Ids of an order's refunds that are not done, without those that ops took over: a second refund would pay twice. */
export async function readOwedRefunds(
  { pool }: Database,
  eventId: string,
  orderId: string,
): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(
    `select id from refunds
       where event_id = $1 and order_id = $2 and state <> 'DONE' and not is_left_to_ops('refundPayment', id)
       order by id`,
    [eventId, orderId],
  )
  return rows.map(({ id }) => id)
}

/** An order's refunds that are not done, and that ops took over. */
export async function readRefundsLeftToOps(
  { pool }: Database,
  eventId: string,
  orderId: string,
): Promise<Pick<RefundRow, 'id' | 'eventId' | 'orderId' | 'amount'>[]> {
  const { rows } = await pool.query<{ id: string; amount: string }>(
    `select id, amount from refunds
       where event_id = $1 and order_id = $2 and state <> 'DONE' and is_left_to_ops('refundPayment', id)
       order by id`,
    [eventId, orderId],
  )
  return rows.map(({ id, amount }) => ({ id, eventId, orderId, amount: BigInt(amount) }))
}

/** The provider's names of an order's refunds. */
export async function readProviderIds(
  { pool }: Database,
  eventId: string,
  orderId: string,
): Promise<string[]> {
  const { rows } = await pool.query<{ providerId: string }>(
    `select provider_id as "providerId" from refunds
       where event_id = $1 and order_id = $2 and provider_id is not null`,
    [eventId, orderId],
  )
  return rows.map(({ providerId }) => providerId)
}

export interface NewRefund {
  eventId: string
  id: string
  orderId: string
  idempotencyKey: string
  /** Minor units of the order's currency. */
  amount: bigint
  reason: string
}

/**
 * Owes the money of an order that was to be cancelled, and that the provider had taken before. One commit: the refund, the
 * order's REFUND_OWED, and the job in the outbox. False where no cancel was due, and nothing changed.
 */
export function oweCancelledMoney(db: Database, refund: NewRefund): Promise<boolean> {
  return inTransaction(db, async (client) => {
    const { rowCount } = await client.query(
      `update orders
         set payment = 'REFUND_OWED', money_due = null, changed_at = now()
         where event_id = $1 and id = $2 and money_due = 'CANCEL'`,
      [refund.eventId, refund.orderId],
    )
    if (rowCount !== 1) return false
    await client.query(
      `insert into refunds (event_id, id, order_id, idempotency_key, amount, reason)
         values ($1, $2, $3, $4, $5, $6)`,
      [refund.eventId, refund.id, refund.orderId, refund.idempotencyKey, refund.amount, refund.reason],
    )
    await client.query(
      `insert into outbox (job, data) values ('refundPayment', jsonb_build_object('refundId', $1::text))`,
      [refund.id],
    )
    return true
  })
}

/** See prisma/functions/finish_refund.sql. */
export async function finishRefund(
  { pool }: Database,
  eventId: string,
  refundId: string,
  providerId: string,
): Promise<boolean> {
  const { rows } = await pool.query<{ finished: boolean }>('select finish_refund($1, $2, $3) as finished', [
    eventId,
    refundId,
    providerId,
  ])
  return rows[0]?.finished === true
}

/**
 * Marks an attempt as refused for good, so that the next one has another key. False where that attempt is not the last one:
 * another process has marked it.
 */
export async function markRefundRefused(
  { pool }: Database,
  { eventId, id, refusals }: Pick<RefundRow, 'eventId' | 'id' | 'refusals'>,
  refusal: string,
): Promise<boolean> {
  const { rowCount } = await pool.query(
    `update refunds
       set state = 'REFUSED', refusals = refusals + 1, refusal = $4, changed_at = now()
       where event_id = $1 and id = $2 and refusals = $3 and state <> 'DONE'`,
    [eventId, id, refusals, refusal],
  )
  return rowCount === 1
}

/** How many refunds are not done, and how many of them the provider refuses. */
export async function readOwedRefundFigures({ pool }: Database): Promise<{ owed: number; refused: number }> {
  const { rows } = await pool.query(
    `select count(*)::int as owed, (count(*) filter (where state = 'REFUSED'))::int as refused
       from refunds where state <> 'DONE'`,
  )
  return rows[0]
}

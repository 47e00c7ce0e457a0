import type { Database } from '../database/database.ts'
import { inTransaction } from '../database/transaction.ts'
import { writeAudit } from '../ops/audit.ts'

export interface EventRefundRow {
  eventId: string
  /** The account that called the event off. */
  accountId: string
  reason: string
  perSecond: number
  startedAt: Date
  /** When no order was left to refund; null until then. */
  finishedAt: Date | null
}

/** The idempotency key with which the event's refund refunds each order. */
export const EVENT_REFUND_KEY = 'the event is called off'

const COLUMNS = `event_id as "eventId", account_id as "accountId", reason, per_second as "perSecond",
  started_at as "startedAt", finished_at as "finishedAt"`

/**
 * Starts the refund of all orders of an event, or goes on with it at another rate. Ends the sale, in the same commit with the audit
 * entry. A sale that has not opened is paused instead.
 */
export function startEventRefund(
  db: Database,
  {
    eventId,
    accountId,
    reason,
    perSecond,
  }: Pick<EventRefundRow, 'eventId' | 'accountId' | 'reason' | 'perSecond'>,
): Promise<void> {
  return inTransaction(db, async (client) => {
    await client.query(
      `update sales
         set paused = paused or opens_at >= now(),
           ends_at = case when opens_at < now() then least(ends_at, now()) else ends_at end
         where event_id = $1`,
      [eventId],
    )
    await client.query(
      `insert into event_refunds (event_id, account_id, reason, per_second)
         values ($1, $2, $3, $4)
         on conflict (event_id) do update set per_second = excluded.per_second, finished_at = null`,
      [eventId, accountId, reason, perSecond],
    )
    await writeAudit(client, {
      eventId,
      accountId,
      action: 'refundEvent',
      subject: eventId,
      detail: { reason, perSecond },
    })
  })
}

/** Events whose refund is not finished. */
export async function readRunningEventRefunds({ pool }: Database): Promise<{ eventId: string }[]> {
  const { rows } = await pool.query(
    'select event_id as "eventId" from event_refunds where finished_at is null order by event_id',
  )
  return rows
}

/**
 * Takes the next confirmed orders of a running refund, as many as it may refund in a second. Null where another process took some
 * within the second, or the refund is not running.
 */
export function takeOrdersToRefund(
  db: Database,
  eventId: string,
): Promise<{ refund: EventRefundRow; orderIds: string[] } | null> {
  return inTransaction(db, async (client) => {
    const { rows } = await client.query<EventRefundRow & { upTo: string }>(
      `update event_refunds
         set worked_at = now()
         where event_id = $1 and finished_at is null
           and (worked_at is null or worked_at <= now() - interval '1 second')
         returning ${COLUMNS}, up_to as "upTo"`,
      [eventId],
    )
    const [taken] = rows
    if (!taken) return null
    const { upTo, ...refund } = taken
    const found = await client.query<{ id: string }>(
      `select id from orders
         where event_id = $1 and state = 'CONFIRMED' and id > $2
         order by id
         limit $3`,
      [eventId, upTo, refund.perSecond],
    )
    const orderIds = found.rows.map(({ id }) => id)
    // At the end it begins again: orders that could not be refunded, and those that were confirmed later.
    const next = orderIds.length < refund.perSecond ? '' : (orderIds.at(-1) as string)
    await client.query('update event_refunds set up_to = $2 where event_id = $1', [eventId, next])
    return { refund, orderIds }
  })
}

/** Finishes a refund where no order is left, nor any order or hold that could still become one. */
export async function finishEventRefund({ pool }: Database, eventId: string): Promise<boolean> {
  const { rowCount } = await pool.query(
    `update event_refunds e
       set finished_at = now()
       where e.event_id = $1 and e.finished_at is null
         and not exists (
           select from orders o where o.event_id = $1 and o.state in ('CONFIRMED', 'PAYING'))
         and not exists (select from holds h where h.event_id = $1 and h.outcome is null)`,
    [eventId],
  )
  return rowCount === 1
}

export interface EventRefundProgress extends EventRefundRow {
  /** Orders that the refund has refunded, and those that it still has to. */
  refunded: number
  left: number
  /** Minor units: of refunds that the provider has not reported done, and of those that it has. */
  owed: bigint
  returned: bigint
  /** Refunds whose last attempt the provider refused for good. */
  refused: number
}

/** Null where the event's refund was never started. */
export async function readEventRefund(
  { pool }: Database,
  eventId: string,
): Promise<EventRefundProgress | null> {
  const { rows } = await pool.query<
    Omit<EventRefundProgress, 'owed' | 'returned'> & { owed: string; returned: string }
  >(
    `select ${COLUMNS}, money.*, (
         select count(*)::int from orders o where o.event_id = $1 and o.state in ('CONFIRMED', 'PAYING')
       ) as left
       from event_refunds, (
         select (count(*) filter (where idempotency_key = $2))::int as refunded,
             coalesce(sum(amount) filter (where state <> 'DONE'), 0)::text as owed,
             coalesce(sum(amount) filter (where state = 'DONE'), 0)::text as returned,
             (count(*) filter (where state = 'REFUSED'))::int as refused
           from refunds where event_id = $1
       ) money
       where event_id = $1`,
    [eventId, EVENT_REFUND_KEY],
  )
  const [row] = rows
  return row ? { ...row, owed: BigInt(row.owed), returned: BigInt(row.returned) } : null
}

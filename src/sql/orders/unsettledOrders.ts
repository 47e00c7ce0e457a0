import type { Database } from '../database/database.ts'
import type { OrderState, PaymentState } from './orders.ts'

/** An order with all that a call to the provider needs. */
export interface PaymentRow {
  id: string
  eventId: string
  state: OrderState
  payment: PaymentState
  /** What the provider still has to do. */
  moneyDue: 'CAPTURE' | 'CANCEL' | null
  holdId: string
  amount: bigint
  currency: string
  provider: string
  /** Null once the order is settled. */
  paymentMethod: string | null
  /** Null where the order has no intent at the provider, and so no money. */
  intentId: string | null
  /** The buyer must do something with the provider. */
  waitsForBuyer: boolean
  /** A payment that is not decided is cancelled now. */
  isLate: boolean
  /** The order's hold is over, so another fan may take its seats: two minutes after `isLate`, or later after an outage. */
  isOver: boolean
  /** The authorization ends within a day. */
  lapsing: boolean
}

const COLUMNS = `
  select o.id, o.event_id as "eventId", o.state, o.payment, o.money_due as "moneyDue", o.hold_id as "holdId", o.amount,
      o.currency, o.provider, o.payment_method as "paymentMethod", o.intent_id as "intentId",
      o.next_action is not null as "waitsForBuyer", coalesce(o.pay_until <= now(), false) as "isLate",
      h.expires_at <= (select sale_clock()) as "isOver",
      coalesce(o.authorized_until < now() + interval '1 day', false) as lapsing
    from orders o
    join holds h on h.event_id = o.event_id and h.id = o.hold_id`

type Raw = Omit<PaymentRow, 'amount'> & { amount: string }

const toRow = (row: Raw): PaymentRow => ({ ...row, amount: BigInt(row.amount) })

export async function readPayment(
  { pool }: Database,
  eventId: string,
  orderId: string,
): Promise<PaymentRow | null> {
  const { rows } = await pool.query<Raw>(`${COLUMNS} where o.event_id = $1 and o.id = $2`, [eventId, orderId])
  return rows[0] ? toRow(rows[0]) : null
}

/** The order of a provider's intent; null where there is none: it belongs to another installation, or is not stored yet. */
export async function readPaymentByIntent(
  { pool }: Database,
  provider: string,
  intentId: string,
): Promise<PaymentRow | null> {
  const { rows } = await pool.query<Raw>(`${COLUMNS} where o.provider = $1 and o.intent_id = $2`, [
    provider,
    intentId,
  ])
  return rows[0] ? toRow(rows[0]) : null
}

/**
 * Takes up to `limit` orders that have been PAYING for over so many seconds: first the oldest of each event, so that the orders of
 * one event do not delay another event's. An order that is taken becomes the newest, so the next call gets others: orders that
 * never get an answer block none.
 *
 * `busy`: providers that are at their limit or known to be down. Their orders are left out, since each would get the same answer;
 * those whose hold is over are taken all the same, since they end without the provider.
 */
export async function takeStuckOrders(
  db: Database,
  olderThanSeconds: number,
  busy: string[],
  limit: number,
): Promise<{ id: string; provider: string }[]> {
  return db.prisma.$queryRaw`
    with ranked as (
      select o.event_id, o.id, coalesce(o.settler_at, o.changed_at) as since,
          row_number() over (partition by o.event_id order by coalesce(o.settler_at, o.changed_at)) as rank
        from orders o
        where o.state = 'PAYING'
          and coalesce(o.settler_at, o.changed_at) < now() - make_interval(secs => ${olderThanSeconds}::float8)
          and (o.provider <> all (${busy}) or exists (
            select from holds h
              where h.event_id = o.event_id and h.id = o.hold_id and h.expires_at <= (select sale_clock())))
    ), stuck as (
      select o.event_id, o.id
        from orders o
        join ranked r on r.event_id = o.event_id and r.id = o.id
        where o.state = 'PAYING'
          and coalesce(o.settler_at, o.changed_at) < now() - make_interval(secs => ${olderThanSeconds}::float8)
        order by r.rank, r.since
        limit ${limit}
        for no key update of o skip locked
    )
    update orders o
      set settler_at = now()
      from stuck s
      where o.event_id = s.event_id and o.id = s.id
      returning o.id, o.provider`
}

/** The orders that are PAYING though their hold is over, so that other fans may take their seats. */
export async function readOverdueOrders({
  pool,
}: Database): Promise<{ eventId: string; id: string; holdId: string }[]> {
  const { rows } = await pool.query(
    `select o.event_id as "eventId", o.id, o.hold_id as "holdId"
       from orders o
       join holds h on h.event_id = o.event_id and h.id = o.hold_id
       where o.state = 'PAYING' and h.expires_at <= (select sale_clock())
       limit 1000`,
  )
  return rows
}

/**
 * Returns how many orders are PAYING, and the age of the oldest one that waits for its provider. An order that waits for its buyer
 * (3-D Secure) counts only two minutes after its time to pay is over: the settler should have ended it by then.
 */
export async function readPaying(db: Database): Promise<{ orders: number; oldestSeconds: number }> {
  const [row] = await db.prisma.$queryRaw<[{ orders: number; oldestSeconds: number }]>`
    select count(*)::int as orders,
        coalesce(extract(epoch from now() - min(placed_at) filter (
          where next_action is null or pay_until <= now() - interval '2 minutes'
        )), 0)::float8 as "oldestSeconds"
      from orders
      where state = 'PAYING'`
  return row
}

/**
 * Writes another outbox row for settled orders whose money has not followed for over so many seconds, and for refunds that
 * are owed for as long; not those that ops took over. Returns how many. Each waits as many seconds for its next row, so that a
 * slow queue is not filled with copies.
 */
export async function emitUnsettled(db: Database, olderThanSeconds: number, limit: number): Promise<number> {
  const orders = await db.prisma.$executeRaw`
    with unsettled as (
      select event_id, id
        from orders
        where money_due is not null
          and coalesce(settler_at, changed_at) < now() - make_interval(secs => ${olderThanSeconds}::float8)
          and not is_left_to_ops(case money_due when 'CAPTURE' then 'capturePayment' else 'cancelPayment' end, id)
        order by coalesce(settler_at, changed_at)
        limit ${limit}
        for no key update skip locked
    ), handed as (
      update orders o
        set settler_at = now()
        from unsettled u
        where o.event_id = u.event_id and o.id = u.id
        returning o.id, o.money_due
    )
    insert into outbox (job, data)
      select case money_due when 'CAPTURE' then 'capturePayment' else 'cancelPayment' end,
          jsonb_build_object('orderId', id)
        from handed`
  const refunds = await db.prisma.$executeRaw`
    with owed as (
      select event_id, id
        from refunds
        where state <> 'DONE'
          and coalesce(settler_at, changed_at) < now() - make_interval(secs => ${olderThanSeconds}::float8)
          and not is_left_to_ops('refundPayment', id)
        order by coalesce(settler_at, changed_at)
        limit ${limit}
        for no key update skip locked
    ), handed as (
      update refunds r
        set settler_at = now()
        from owed o
        where r.event_id = o.event_id and r.id = o.id
        returning r.id
    )
    insert into outbox (job, data)
      select 'refundPayment', jsonb_build_object('refundId', id) from handed`
  return orders + refunds
}

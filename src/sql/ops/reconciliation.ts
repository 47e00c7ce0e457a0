import type { Database } from '../database/database.ts'
import { inSnapshot } from '../database/transaction.ts'
import type { OrderState, PaymentState } from '../orders/orders.ts'
import { LEFT_TO_OPS } from './settledSubjects.ts'

export interface ReconciliationFigures {
  asOf: Date
  capacity: number
  available: number
  held: number
  sold: number
  notForSale: number
  tickets: number
  ordersConfirmed: number
  ordersPaying: number
  /** Minor units, less what was refunded. */
  captured: bigint
}

/** A contradiction. A seat is named by its number, all else by its id. */
export interface FoundRow {
  kind: string
  seatNo: number | null
  id: string | null
  detail: string
}

/** The fields of an order that are compared with the provider's. */
export interface ReconciledOrder {
  id: string
  state: OrderState
  payment: PaymentState
  moneyDue: 'CAPTURE' | 'CANCEL' | null
  provider: string
  intentId: string | null
  amount: bigint
  refunded: bigint
  currency: string
  /** Seconds since its last transition. */
  age: number
}

/** More findings of one kind add no information. */
const MOST_OF_A_KIND = 100

/**
 * An event's figures, its orders, and all contradictions in the database, from one snapshot.
 *
 * A seat whose hold has run out counts as available, unless an order is paying for the hold.
 */
export function readReconciliation(
  db: Database,
  eventId: string,
): Promise<{ figures: ReconciliationFigures; found: FoundRow[]; orders: ReconciledOrder[] }> {
  return inSnapshot(db, async (client) => {
    const { rows: figures } = await client.query(FIGURES, [eventId])
    const found: FoundRow[] = []
    for (const finding of FINDINGS) {
      found.push(...(await client.query<FoundRow>(`${finding} limit ${MOST_OF_A_KIND}`, [eventId])).rows)
    }
    const { rows: orders } = await client.query(`${ORDERS} where event_id = $1`, [eventId])
    return {
      figures: { ...figures[0], captured: BigInt(figures[0].captured) },
      found,
      orders: orders.map(toOrder),
    }
  })
}

/** Null where there is no such order. */
export async function readReconciledOrder(
  db: Database,
  eventId: string,
  orderId: string,
): Promise<ReconciledOrder | null> {
  const { rows } = await db.pool.query(`${ORDERS} where event_id = $1 and id = $2`, [eventId, orderId])
  return rows[0] ? toOrder(rows[0]) : null
}

function toOrder(row: Omit<ReconciledOrder, 'amount' | 'refunded'> & { amount: string; refunded: string }) {
  return { ...row, amount: BigInt(row.amount), refunded: BigInt(row.refunded) }
}

const ORDERS = `
  select id, state, payment, money_due as "moneyDue", provider, intent_id as "intentId", amount, refunded, currency,
      extract(epoch from clock_timestamp() - changed_at)::float8 as age
    from orders`

const FIGURES = `
  with seat as (
    select s.status,
        s.status = seat_status('HELD') and (s.held_until > (select sale_clock()) or exists (
          select from orders o where o.event_id = s.event_id and o.hold_id = s.hold_id and o.state = 'PAYING'
        )) as held
      from seats s
      where s.event_id = $1
  )
  select now() as "asOf", seats.*, tickets.*, orders.*
    from (
      select count(*)::int as capacity,
          count(*) filter (
            where status = seat_status('AVAILABLE') or (status = seat_status('HELD') and not held)
          )::int as available,
          count(*) filter (where held)::int as held,
          count(*) filter (where status = seat_status('SOLD'))::int as sold,
          count(*) filter (where status = seat_status('NOT_FOR_SALE'))::int as "notForSale"
        from seat
    ) seats, (
      select count(*)::int as tickets from tickets where event_id = $1 and voided_at is null
    ) tickets, (
      select count(*) filter (where state = 'CONFIRMED')::int as "ordersConfirmed",
          count(*) filter (where state = 'PAYING')::int as "ordersPaying",
          coalesce(sum(amount - refunded) filter (
            where payment in ('CAPTURED', 'PARTIALLY_REFUNDED', 'REFUND_OWED', 'REFUNDED')
          ), 0)::text as captured
        from orders
        where event_id = $1
    ) orders`

const FINDINGS = [
  // Indexes and checks make some of these impossible. These queries check that they do.
  `select 'SEAT_WITHOUT_TICKET' as kind, s.no as "seatNo", null as id,
      format('sold to order %s, which has no valid ticket for it', s.order_id) as detail
    from seats s
    where s.event_id = $1 and s.status = seat_status('SOLD') and not exists (
      select from tickets t
        where t.event_id = s.event_id and t.seat_no = s.no and t.order_id = s.order_id and t.voided_at is null
    )
    order by s.no`,
  `select 'TICKET_WITHOUT_SEAT' as kind, null::int as "seatNo", t.id,
      format('of order %s for seat %s, which is not sold to that order', t.order_id, t.seat_no) as detail
    from tickets t
    left join seats s on s.event_id = t.event_id and s.no = t.seat_no
    where t.event_id = $1 and t.voided_at is null
      and (s.no is null or s.status <> seat_status('SOLD') or s.order_id <> t.order_id)
    order by t.id`,
  `select 'TICKET_WITHOUT_ORDER' as kind, null::int as "seatNo", t.id,
      format('of order %s, which %s', t.order_id, coalesce('is ' || o.state, 'does not exist')) as detail
    from tickets t
    left join orders o on o.event_id = t.event_id and o.id = t.order_id
    where t.event_id = $1 and t.voided_at is null and o.state is distinct from 'CONFIRMED'
    order by t.id`,
  `select 'SEAT_SOLD_TWICE' as kind, t.seat_no as "seatNo", null as id,
      format('%s valid tickets, of the orders %s', count(*), string_agg(distinct t.order_id, ', ')) as detail
    from tickets t
    where t.event_id = $1 and t.voided_at is null
    group by t.seat_no
    having count(*) > 1
    order by t.seat_no`,
  // A refunded ticket is void; the seat of a ticket that is void without a refund is SEAT_WITHOUT_TICKET.
  `select 'ORDER_WITHOUT_TICKET' as kind, null::int as "seatNo", o.id,
      format('CONFIRMED with %s items and %s tickets, %s of them valid', i.items, t.tickets, t.valid) as detail
    from orders o
    cross join lateral (
      select count(*) as items from hold_items i where i.event_id = o.event_id and i.hold_id = o.hold_id
    ) i
    cross join lateral (
      select count(*) as tickets, count(*) filter (where t.voided_at is null) as valid
        from tickets t where t.event_id = o.event_id and t.order_id = o.id
    ) t
    where o.event_id = $1 and o.state = 'CONFIRMED' and (i.items <> t.tickets or t.valid = 0)
    order by o.id`,
  `select 'REFUNDS_DIFFER' as kind, null::int as "seatNo", o.id,
      format('%s refunded of %s, where its refunds have %s done and %s in all', o.refunded, o.amount, r.done, r.every) as detail
    from orders o
    join lateral (
      select sum(r.amount) filter (where r.state = 'DONE') as done, sum(r.amount) as every
        from refunds r where r.event_id = o.event_id and r.order_id = o.id
    ) r on r.every is not null
    where o.event_id = $1 and (coalesce(r.done, 0) <> o.refunded or r.every > o.amount)
    order by o.id`,
  `select 'ORDER_AMOUNT_DIFFERS' as kind, null::int as "seatNo", o.id,
      format('%s where its items cost %s', o.amount, coalesce(i.cost, 0)) as detail
    from orders o
    cross join lateral (
      select sum(i.price + i.fee) as cost
        from hold_items i where i.event_id = o.event_id and i.hold_id = o.hold_id
    ) i
    where o.event_id = $1 and o.amount <> coalesce(i.cost, 0)
    order by o.id`,
  // A hold that has run out may have lost seats to others. A live one, also one that a checkout extended, may not.
  `select 'HOLD_PARTIAL' as kind, null::int as "seatNo", h.id,
      format('%s of its %s seats are held for it', i.held, i.items) as detail
    from holds h
    cross join lateral (
      select count(*) as items, count(s.no) as held
        from hold_items i
        left join seats s
          on s.event_id = i.event_id and s.no = i.seat_no and s.hold_id = i.hold_id and s.status = seat_status('HELD')
        where i.event_id = h.event_id and i.hold_id = h.id
    ) i
    where h.event_id = $1 and h.ended_at is null and h.expires_at > (select sale_clock()) and (i.items <> i.held or i.items = 0)
    order by h.id`,
  `select 'SEAT_WITHOUT_HOLD' as kind, s.no as "seatNo", null as id,
      format('held for %s, which %s', s.hold_id,
        case when h.id is null then 'does not exist' when i.seat_no is null then 'does not have it'
          else 'is ' || h.outcome end) as detail
    from seats s
    left join holds h on h.event_id = s.event_id and h.id = s.hold_id
    left join hold_items i on i.event_id = s.event_id and i.hold_id = s.hold_id and i.seat_no = s.no
    where s.event_id = $1 and s.status = seat_status('HELD')
      and (h.id is null or i.seat_no is null or h.outcome is not null)
    order by s.no`,
  `select 'ORDER_STUCK' as kind, null::int as "seatNo", o.id,
      format('PAYING for %s minutes', floor(extract(epoch from now() - o.placed_at) / 60)) as detail
    from orders o
    where o.event_id = $1 and o.state = 'PAYING' and o.placed_at < now() - interval '10 minutes'
      and (o.next_action is null or o.pay_until <= now() - interval '2 minutes')
    order by o.id`,
  LEFT_TO_OPS,
]

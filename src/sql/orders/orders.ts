import { Prisma } from '#prisma'
import type { DeclineReason } from '../../declineReason.ts'
import { exactTime } from '../database/clock.ts'
import type { Database } from '../database/database.ts'

export type OrderState = 'PAYING' | 'CONFIRMED' | 'DECLINED' | 'SEATS_GONE' | 'CANCELLED'
export type PaymentState =
  | 'NONE'
  | 'AUTHORIZED'
  | 'CAPTURED'
  | 'VOIDED'
  | 'PARTIALLY_REFUNDED'
  | 'REFUNDED'
  | 'REFUND_OWED'

/** What an order's buyer must do with the provider, as its column has it. */
export interface StoredAction {
  clientSecret: string | null
  url: string | null
  /** ISO 8601. */
  expiresAt: string
}

/** An order with its items and its tickets, both in seat order. */
export interface OrderRow {
  id: string
  eventId: string
  accountId: string
  holdId: string
  state: OrderState
  payment: PaymentState
  amount: bigint
  currency: string
  refunded: bigint
  declineReason: DeclineReason | null
  nextAction: StoredAction | null
  placedAt: Date
  /** `placedAt`, for a cursor. */
  exactPlacedAt: string
  itemSeatNos: number[]
  itemLevelNos: number[]
  itemPrices: bigint[]
  itemFees: bigint[]
  /** This and the next three: null where it has no tickets. */
  ticketIds: string[] | null
  ticketNos: number[] | null
  ticketSeatNos: number[] | null
  ticketsVoided: boolean[] | null
}

// One row an order: a poll of an order is one round trip.
const ORDERS = Prisma.sql`
  select o.id, o.event_id as "eventId", o.account_id as "accountId", o.hold_id as "holdId", o.state, o.payment, o.amount, o.currency,
      o.refunded, o.decline_reason as "declineReason", o.next_action as "nextAction", o.placed_at as "placedAt",
      ${Prisma.raw(exactTime('o.placed_at'))} as "exactPlacedAt", items.*, tickets.*
    from orders o
    cross join lateral (
      select array_agg(i.seat_no order by i.seat_no) as "itemSeatNos",
          array_agg(i.level_no order by i.seat_no) as "itemLevelNos",
          array_agg(i.price order by i.seat_no) as "itemPrices",
          array_agg(i.fee order by i.seat_no) as "itemFees"
        from hold_items i
        where i.event_id = o.event_id and i.hold_id = o.hold_id
    ) items
    cross join lateral (
      select array_agg(t.id order by t.seat_no) as "ticketIds",
          array_agg(t.no order by t.seat_no) as "ticketNos",
          array_agg(t.seat_no order by t.seat_no) as "ticketSeatNos",
          array_agg(t.voided_at is not null order by t.seat_no) as "ticketsVoided"
        from tickets t
        where t.event_id = o.event_id and t.order_id = o.id
    ) tickets`

/** Null where there is no such order, or it is another account's. */
export async function readOrder(
  db: Database,
  accountId: string,
  eventId: string,
  orderId: string,
): Promise<OrderRow | null> {
  const [row] = await db.prisma.$queryRaw<OrderRow[]>`
    ${ORDERS} where o.event_id = ${eventId} and o.id = ${orderId} and o.account_id = ${accountId}`
  return row ?? null
}

/** Null where there is no such order. */
export async function readAnyOrder(db: Database, eventId: string, orderId: string): Promise<OrderRow | null> {
  const [row] = await db.prisma.$queryRaw<OrderRow[]>`
    ${ORDERS} where o.event_id = ${eventId} and o.id = ${orderId}`
  return row ?? null
}

/** Several orders at once, in no order. Another account's order has no row. */
export function readOrders(
  db: Database,
  accountId: string,
  eventIds: string[],
  orderIds: string[],
): Promise<OrderRow[]> {
  return db.prisma.$queryRaw<OrderRow[]>`
    ${ORDERS}
    join unnest(${eventIds}::text[], ${orderIds}::text[]) w (event_id, id) on w.event_id = o.event_id and w.id = o.id
    where o.account_id = ${accountId}`
}

/** An account's orders, newest first, for one event or all, after the cursor `after`. */
export function listOrders(
  db: Database,
  accountId: string,
  {
    eventId,
    after,
    limit,
  }: { eventId: string | null; after: { placedAt: string; id: string } | null; limit: number },
): Promise<OrderRow[]> {
  const ofEvent = eventId === null ? Prisma.empty : Prisma.sql`and o.event_id = ${eventId}`
  const older =
    after === null
      ? Prisma.empty
      : Prisma.sql`and (o.placed_at, o.id) < (${after.placedAt}::timestamptz, ${after.id})`
  return db.prisma.$queryRaw<OrderRow[]>`
    ${ORDERS} where o.account_id = ${accountId} ${ofEvent} ${older}
      order by o.placed_at desc, o.id desc
      limit ${limit}`
}

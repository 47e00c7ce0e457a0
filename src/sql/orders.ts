import { Prisma } from '#prisma'
import type { DeclineReason } from '../declineReason.ts'
import type { Money } from '../money.ts'
import { AVAILABLE, HELD, type SeatChange, type SeatStatus, SOLD, seatChanges } from '../seatStatus.ts'
import { exactTime } from './clock.ts'
import type { Database } from './database.ts'
import { statement } from './statement.ts'

export type OrderState = 'PAYING' | 'CONFIRMED' | 'DECLINED' | 'SEATS_GONE' | 'CANCELLED'
export type PaymentState = 'NONE' | 'AUTHORIZED' | 'CAPTURED' | 'VOIDED' | 'PARTIALLY_REFUNDED' | 'REFUNDED'

// ---------------------------------------------------------------- claim

export interface Claim {
  eventId: string
  holdId: string
  accountId: string
  /** The id that the order gets if it is made. */
  orderId: string
  idempotencyKey: string
  inputHash: string
  email: string | null
  provider: string
  paymentMethod: string
}

/**
 * Declined cards of an account within a minute before the next one has to wait: more than a person tries, and too few
 * to test stolen numbers or to use up the provider's permits.
 */
const DECLINES_A_MINUTE = 5

/** Reads, before any write, the key's order, the hold, and the order that decides over the hold. */
export async function readClaim(
  db: Database,
  { eventId, holdId, accountId, idempotencyKey }: Claim,
): Promise<{
  keyOrderId: string | null
  keyInputHash: string | null
  /** Null where the account has no such hold. `isOver`: released, swept or sold, so its seats are not its own. */
  hold: (Money & { isOver: boolean }) | null
  /** The order that is paying for the hold, has bought it, or found its seats gone. */
  holdOrderId: string | null
  /** Seconds until the account may try a card again, where it was declined too often. */
  pausedSeconds: number | null
}> {
  const [row] = await db.prisma.$queryRaw<
    {
      keyOrderId: string | null
      keyInputHash: string | null
      amount: bigint | null
      currency: string | null
      isOver: boolean | null
      holdOrderId: string | null
      pausedSeconds: number | null
    }[]
  >`
    select k.id as "keyOrderId", k.input_hash as "keyInputHash", h.amount, h.currency,
        h.outcome is not null as "isOver", l.id as "holdOrderId", (
          select ceil(extract(epoch from d.placed_at + interval '1 minute' - now()))::int
            from orders d
            where d.event_id = ${eventId} and d.account_id = ${accountId} and d.state = 'DECLINED'
              and d.placed_at > now() - interval '1 minute'
            order by d.placed_at desc
            offset ${DECLINES_A_MINUTE - 1}
            limit 1
        ) as "pausedSeconds"
      from (select) as always
      left join orders k
        on k.event_id = ${eventId} and k.account_id = ${accountId} and k.idempotency_key = ${idempotencyKey}
      left join holds h on h.event_id = ${eventId} and h.id = ${holdId} and h.account_id = ${accountId}
      left join orders l
        on l.event_id = h.event_id and l.hold_id = h.id and l.state in ('PAYING', 'CONFIRMED', 'CANCELLED', 'SEATS_GONE')`
  const { amount, currency, isOver, ...known } = row as NonNullable<typeof row>
  const hold = amount === null || currency === null ? null : { amount, currency, isOver: isOver === true }
  return { ...known, hold }
}

export interface ClaimRow {
  outcome: 'claimed' | 'known' | 'key_reused' | 'seats_gone' | 'hold_not_found'
  /** The new order, or the one that was there. */
  orderId: string | null
  /** `known` only: that order was made with this key, and not with another key for the same hold. */
  isOfKey: boolean
  /** Of the seats whose hold was extended. */
  changes: SeatChange[]
}

/** See prisma/functions/claim_order.sql. */
export async function claimOrder(db: Database, claim: Claim): Promise<ClaimRow> {
  const [{ seatNos, revisions, ...row }] = await db.prisma.$queryRaw<
    [Omit<ClaimRow, 'changes'> & RevisedSeats]
  >(
    CLAIM_ORDER(
      claim.eventId,
      claim.holdId,
      claim.accountId,
      claim.orderId,
      claim.idempotencyKey,
      claim.inputHash,
      claim.email,
      claim.provider,
      claim.paymentMethod,
    ),
  )
  return { ...row, changes: changesTo(HELD, { seatNos, revisions }) }
}

const CLAIM_ORDER = statement(
  'claim_order',
  `select outcome, order_id as "orderId", is_of_key as "isOfKey", seat_nos as "seatNos", revisions
   from claim_order($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
)

/** Seats that a statement changed, in seat order, with their new revisions; null for none. */
interface RevisedSeats {
  seatNos: number[] | null
  revisions: number[] | null
}

function changesTo(status: SeatStatus, { seatNos, revisions }: RevisedSeats): SeatChange[] {
  return seatNos && revisions ? seatChanges(seatNos, status, revisions) : []
}

// ---------------------------------------------------------------- transitions

export interface SaleOfOrderRow {
  outcome: 'sold' | 'seats_gone' | 'settled'
  changes: SeatChange[]
  /** The arrival index of the admission that the sale ended. */
  endedArrival: number | null
}

const SELL_ORDER = statement(
  'sell_order',
  `select outcome, seat_nos as "seatNos", revisions, ended_arrival as "endedArrival"
   from sell_order($1, $2, $3, $4::timestamptz)`,
)

/**
 * PAYING -> CONFIRMED or SEATS_GONE; `authorization` null where the order costs nothing.
 * See prisma/functions/sell_order.sql.
 */
export async function sellOrder(
  db: Database,
  eventId: string,
  orderId: string,
  authorization: { authorizationId: string; authorizedUntil: Date } | null,
): Promise<SaleOfOrderRow> {
  const { authorizationId = null, authorizedUntil = null } = authorization ?? {}
  const [{ outcome, endedArrival, ...seats }] = await db.prisma.$queryRaw<
    [Omit<SaleOfOrderRow, 'changes'> & RevisedSeats]
  >(SELL_ORDER(eventId, orderId, authorizationId, authorizedUntil))
  return { outcome, endedArrival, changes: changesTo(SOLD, seats) }
}

/** PAYING -> DECLINED; false where it was settled before. */
export async function declineOrder(
  db: Database,
  eventId: string,
  orderId: string,
  reason: DeclineReason,
): Promise<boolean> {
  const changed = await db.prisma.$executeRaw`
    update orders
      set state = 'DECLINED', decline_reason = ${reason}, payment_method = null, changed_at = now()
      where event_id = ${eventId} and id = ${orderId} and state = 'PAYING'`
  return changed === 1
}

/** CONFIRMED, its money AUTHORIZED -> CAPTURED; false where it was something else. */
export async function markCaptured(db: Database, eventId: string, orderId: string): Promise<boolean> {
  const changed = await db.prisma.$executeRaw`
    update orders
      set payment = 'CAPTURED', changed_at = now()
      where event_id = ${eventId} and id = ${orderId} and state = 'CONFIRMED' and payment = 'AUTHORIZED'`
  return changed === 1
}

/** SEATS_GONE or CANCELLED, its money AUTHORIZED -> VOIDED; false where it was something else. */
export async function markVoided(db: Database, eventId: string, orderId: string): Promise<boolean> {
  const changed = await db.prisma.$executeRaw`
    update orders
      set payment = 'VOIDED', changed_at = now()
      where event_id = ${eventId} and id = ${orderId} and state in ('SEATS_GONE', 'CANCELLED')
        and payment = 'AUTHORIZED'`
  return changed === 1
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

// ---------------------------------------------------------------- the settler's

/** An order with all that a call to the provider needs. */
export interface PaymentRow {
  id: string
  eventId: string
  state: OrderState
  payment: PaymentState
  holdId: string
  amount: bigint
  currency: string
  /** Null once the order is settled. */
  paymentMethod: string | null
  authorizationId: string | null
  /** The authorization ends within a day. */
  lapsing: boolean
}

export async function readPayment(
  db: Database,
  eventId: string,
  orderId: string,
): Promise<PaymentRow | null> {
  const [row] = await db.prisma.$queryRaw<PaymentRow[]>`
    select id, event_id as "eventId", state, payment, hold_id as "holdId", amount, currency,
        payment_method as "paymentMethod", authorization_id as "authorizationId",
        coalesce(authorized_until < now() + interval '1 day', false) as lapsing
      from orders
      where event_id = ${eventId} and id = ${orderId}`
  return row ?? null
}

/**
 * Takes up to `limit` orders that have been PAYING for over so many seconds, the oldest first. Returns their ids. An
 * order that is taken becomes the newest, so the next call gets others: orders that never get an answer block none.
 */
export async function takeStuckOrders(
  db: Database,
  olderThanSeconds: number,
  limit: number,
): Promise<string[]> {
  const rows = await db.prisma.$queryRaw<{ id: string }[]>`
    with stuck as (
      select event_id, id
        from orders
        where state = 'PAYING'
          and coalesce(settler_at, changed_at) < now() - make_interval(secs => ${olderThanSeconds}::float8)
        order by coalesce(settler_at, changed_at)
        limit ${limit}
        for no key update skip locked
    )
    update orders o
      set settler_at = now()
      from stuck s
      where o.event_id = s.event_id and o.id = s.id
      returning o.id`
  return rows.map(({ id }) => id)
}

/** How many orders are PAYING, and for how long the oldest of them has been. */
export async function readPaying(db: Database): Promise<{ orders: number; oldestSeconds: number }> {
  const [row] = await db.prisma.$queryRaw<[{ orders: number; oldestSeconds: number }]>`
    select count(*)::int as orders,
        coalesce(extract(epoch from now() - min(placed_at)), 0)::float8 as "oldestSeconds"
      from orders
      where state = 'PAYING'`
  return row
}

/**
 * Writes another outbox row for settled orders whose money has not followed for over so many seconds: confirmed and
 * not captured, gone or cancelled and not voided; not those that ops took over. Returns how many. Each waits as many seconds for its next row, so
 * that a slow queue is not filled with copies.
 */
export function emitUnsettled(db: Database, olderThanSeconds: number, limit: number): Promise<number> {
  return db.prisma.$executeRaw`
    with unsettled as (
      select event_id, id
        from orders
        where state <> 'PAYING' and payment = 'AUTHORIZED'
          and coalesce(settler_at, changed_at) < now() - make_interval(secs => ${olderThanSeconds}::float8)
          and not is_left_to_ops(case state when 'CONFIRMED' then 'capturePayment' else 'voidPayment' end, id)
        order by coalesce(settler_at, changed_at)
        limit ${limit}
        for no key update skip locked
    ), handed as (
      update orders o
        set settler_at = now()
        from unsettled u
        where o.event_id = u.event_id and o.id = u.id
        returning o.id, o.state
    )
    insert into outbox (job, data)
      select case state when 'CONFIRMED' then 'capturePayment' else 'voidPayment' end,
          jsonb_build_object('orderId', id)
        from handed`
}

// ---------------------------------------------------------------- the read side

/** An order with its items and its tickets, both in seat order. */
export interface OrderRow {
  id: string
  eventId: string
  holdId: string
  state: OrderState
  payment: PaymentState
  amount: bigint
  currency: string
  refunded: bigint
  declineReason: DeclineReason | null
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
  select o.id, o.event_id as "eventId", o.hold_id as "holdId", o.state, o.payment, o.amount, o.currency,
      o.refunded, o.decline_reason as "declineReason", o.placed_at as "placedAt",
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

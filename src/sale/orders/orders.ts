import { liveValue } from '../../async/liveValue.ts'
import type { DeclineReason } from '../../declineReason.ts'
import type { Money } from '../../money.ts'
import type { ChannelHub } from '../../redis/channelHub.ts'
import { channels } from '../../redis/keys.ts'
import type { Database } from '../../sql/database/database.ts'
import {
  listOrders,
  type OrderRow,
  type OrderState,
  type PaymentState,
  readAnyOrder,
  readOrder,
  readOrders,
} from '../../sql/orders/orders.ts'
import { findOrderOfTicket } from '../../sql/orders/tickets.ts'
import type { Account } from '../caller.ts'
import { badInput } from '../faults.ts'
import type { HoldItemView } from '../holds/holds.ts'
import { eventOf, isEventId } from '../ids.ts'
import { type Page, type PageRequest, readTimeCursor, rowsToRead, toPage } from '../page.ts'

export interface TicketView {
  readonly id: string
  readonly eventId: string
  readonly orderId: string
  /** Its number within the event, from 0 on. */
  readonly no: number
  readonly seatNo: number
  readonly voided: boolean
}

export interface OrderView {
  readonly id: string
  readonly eventId: string
  readonly accountId: string
  readonly state: OrderState
  readonly payment: PaymentState
  readonly holdId: string
  readonly amount: Money
  /** The refunded part of the amount, in minor units of its currency. */
  readonly refunded: bigint
  readonly items: readonly HoldItemView[]
  /** Empty until CONFIRMED; void tickets stay in the list. */
  readonly tickets: readonly TicketView[]
  readonly declineReason: DeclineReason | null
  /** What the buyer must do with the provider before the order can go on; null for nothing. */
  readonly nextAction: { clientSecret: string | null; url: string | null; expiresAt: Date } | null
  readonly placedAt: Date
}

/**
 * True where an order's tickets admit their holders, but for those that are void: it is confirmed, and its money is captured or it
 * cost nothing. A refund of other tickets changes nothing. The rule in SQL: prisma/functions/has_valid_tickets.sql.
 */
export function hasValidTickets({ state, payment, amount }: Pick<OrderView, 'state' | 'payment' | 'amount'>) {
  return state === 'CONFIRMED' && (amount.amount === 0n || (payment !== 'NONE' && payment !== 'AUTHORIZED'))
}

/** The read side of orders. Another account's order is null, like an order that does not exist. */
export interface Orders {
  find(account: Account, orderId: string): Promise<OrderView | null>
  /** Any account's order. */
  findForOps(orderId: string): Promise<OrderView | null>
  /** The orders that `find` returns, by id, in one round trip. */
  findMany(account: Account, orderIds: readonly string[]): Promise<Map<string, OrderView>>
  /** The order that a ticket belongs to. */
  findByTicket(account: Account, ticketId: string): Promise<OrderView | null>
  /** The orders of one event or of all, newest first. Throws BAD_USER_INPUT where `first` or `after` is invalid. */
  list(account: Account, request: PageRequest & { eventId?: string | null }): Promise<Page<OrderView>>
  /** The order now and after each change, without end. Throws BAD_USER_INPUT where `find` returns null. */
  updates(account: Account, orderId: string): AsyncIterableIterator<OrderView>
}

/** A PAYING order changes within seconds, and its buyer watches it; later changes are rare. */
const PAYING_BACKSTOP_MS = 1_000
const BACKSTOP_MS = 30_000

export function createOrders({ db, hub }: { db: Database; hub: ChannelHub }): Orders {
  async function find(account: Account, orderId: string): Promise<OrderView | null> {
    const eventId = eventOf('ord', orderId)
    const row = eventId && (await readOrder(db, account.id, eventId, orderId))
    return row ? toView(row) : null
  }

  return {
    find,

    async findForOps(orderId) {
      const eventId = eventOf('ord', orderId)
      const row = eventId && (await readAnyOrder(db, eventId, orderId))
      return row ? toView(row) : null
    },

    async findMany(account, orderIds) {
      const ids = [...new Set(orderIds)].filter((id) => eventOf('ord', id) !== undefined)
      if (ids.length === 0) return new Map()
      const rows = await readOrders(
        db,
        account.id,
        ids.map((id) => eventOf('ord', id) as string),
        ids,
      )
      return new Map(rows.map((row) => [row.id, toView(row)]))
    },

    async findByTicket(account, ticketId) {
      const eventId = eventOf('tkt', ticketId)
      const orderId = eventId && (await findOrderOfTicket(db, account.id, eventId, ticketId))
      return orderId ? find(account, orderId) : null
    },

    async list(account, { eventId = null, ...page }) {
      const limit = rowsToRead(page)
      const cursor = readTimeCursor(page.after)
      const after = cursor && { placedAt: cursor.at, id: cursor.id }
      const rows =
        eventId === null || isEventId(eventId)
          ? await listOrders(db, account.id, { eventId, after, limit })
          : []
      return toPage(rows, page, ({ exactPlacedAt, id }) => [exactPlacedAt, id], toView)
    },

    updates(account, orderId) {
      let lastSent: OrderView | undefined
      return liveValue<OrderView>({
        listen(wake) {
          const eventId = eventOf('ord', orderId)
          return eventId ? hub.listen(channels.order(eventId, orderId), wake) : () => {}
        },
        async read() {
          const now = await find(account, orderId)
          if (!now) throw badInput({ path: ['id'], message: 'There is no such order of this account.' })
          if (lastSent && !differs(lastSent, now)) return undefined
          lastSent = now
          return now
        },
        backstopMs: (order) => (order?.state === 'PAYING' ? PAYING_BACKSTOP_MS : BACKSTOP_MS),
      })
    },
  }
}

function toView(row: OrderRow): OrderView {
  const {
    id,
    eventId,
    accountId,
    state,
    payment,
    holdId,
    amount,
    currency,
    refunded,
    declineReason,
    placedAt,
    nextAction,
  } = row
  return {
    id,
    eventId,
    accountId,
    state,
    payment,
    holdId,
    amount: { amount, currency },
    refunded,
    items: row.itemSeatNos.map((seatNo, i) => ({
      seatNo,
      levelNo: row.itemLevelNos[i] as number,
      price: row.itemPrices[i] as bigint,
      fee: row.itemFees[i] as bigint,
    })),
    tickets: (row.ticketIds ?? []).map((ticketId, i) => ({
      id: ticketId,
      eventId,
      orderId: id,
      no: row.ticketNos?.[i] as number,
      seatNo: row.ticketSeatNos?.[i] as number,
      voided: row.ticketsVoided?.[i] as boolean,
    })),
    declineReason,
    nextAction: nextAction && { ...nextAction, expiresAt: new Date(nextAction.expiresAt) },
    placedAt,
  }
}

function differs(a: OrderView, b: OrderView): boolean {
  return (
    a.state !== b.state ||
    a.payment !== b.payment ||
    a.refunded !== b.refunded ||
    (a.nextAction === null) !== (b.nextAction === null) ||
    a.tickets.some(({ voided }, i) => voided !== b.tickets[i]?.voided)
  )
}

import type { Database } from './database/database.ts'
import { inTransaction } from './database/transaction.ts'

/** A sale's columns under the names of the API's SaleInput, without `paused`. */
export interface SaleSettings {
  readonly preQueueOpensAt: Date
  readonly opensAt: Date
  readonly endsAt: Date | null
  readonly waitingRoom: boolean
  readonly ticketLimit: number
  readonly holdSeconds: number
  readonly admissionSeconds: number
  readonly turnSeconds: number
  readonly shoppersPerOrder: number
  readonly holdsPerMinute: number
  readonly unpaidHolds: number
  /** Seats in the live holds of one address, and of one device. */
  readonly heldPerAddress: number
  readonly heldPerDevice: number
  /** How long an order may be PAYING. */
  readonly paymentMinutes: number
  readonly allowOrphanSeats: boolean
  readonly returnFees: boolean
  readonly seatPicking: boolean
  readonly challenge: string
}

/** A sale's settings with its state. */
export interface SaleRow extends Omit<SaleSettings, 'returnFees'> {
  readonly eventId: string
  readonly paused: boolean
  readonly challenge: 'NEVER' | 'SUSPICIOUS' | 'ALWAYS'
  /** Sold out; seats that are free or come back are the waitlist's first. */
  readonly waitlistOnly: boolean
}

/** Null where there is no such event. */
export async function readSale({ prisma }: Database, eventId: string): Promise<SaleRow | null> {
  return (await prisma.sale.findUnique({ where: { eventId } })) as SaleRow | null
}

/** Runs `work` with the sale's opening, under the sale's lock; not at all where there is no such sale. */
export function withOpeningLocked(
  db: Database,
  eventId: string,
  work: (opensAt: Date) => Promise<unknown>,
): Promise<void> {
  return inTransaction(db, async (client) => {
    const { rows } = await client.query<{ opensAt: Date }>(
      'select opens_at as "opensAt" from sales where event_id = $1 for no key update',
      [eventId],
    )
    if (rows[0]) await work(rows[0].opensAt)
  })
}

/** See prisma/functions/is_sold_out.sql. */
export async function isSoldOut({ pool }: Database, eventId: string): Promise<boolean> {
  const { rows } = await pool.query('select is_sold_out($1) as "soldOut"', [eventId])
  return rows[0].soldOut
}

/** See readActiveSales. */
const ACTIVE_SALES = `from sales s join events e on e.id = s.event_id
  where s.pre_queue_opens_at <= now() + interval '30 seconds'
    and coalesce(s.ends_at, e.starts_at + interval '1 day') > now()`

/**
 * Ids of the events whose room or sale is open, or opens within half a minute; the latest opening comes first. A sale
 * without an end is over a day after its event began.
 */
export async function readActiveSales({ pool }: Database): Promise<string[]> {
  const { rows } = await pool.query(
    `select s.event_id ${ACTIVE_SALES}
     order by s.opens_at desc, s.event_id`,
  )
  return rows.map((row) => row.event_id)
}

/** Ids of the events whose sale has been over for an hour. See readActiveSales. */
export async function readOverSales({ pool }: Database): Promise<string[]> {
  const { rows } = await pool.query(
    `select s.event_id from sales s join events e on e.id = s.event_id
     where coalesce(s.ends_at, e.starts_at + interval '1 day') <= now() - interval '1 hour'`,
  )
  return rows.map((row) => row.event_id)
}

export async function hasActiveSale({ pool }: Database): Promise<boolean> {
  const { rows } = await pool.query(`select exists (select ${ACTIVE_SALES}) as found`)
  return rows[0].found
}

/** A sale whose room is open. */
export interface OpenRoom {
  readonly eventId: string
  /** The sale has opened too. */
  readonly isOnSale: boolean
  readonly turnSeconds: number
}

/** The sales with a waiting room that is open, in no order. Rooms are in a database of their own: see findBusyRooms. */
export async function readOpenRooms({ pool }: Database): Promise<OpenRoom[]> {
  const { rows } = await pool.query(
    `select s.event_id as "eventId", s.opens_at <= now() as "isOnSale", s.turn_seconds as "turnSeconds"
     ${ACTIVE_SALES} and s.waiting_room and s.pre_queue_opens_at <= now()`,
  )
  return rows
}

import type { Database } from '../database/database.ts'
import { inTransaction } from '../database/transaction.ts'
import { writeAudit } from '../ops/audit.ts'
import type { SaleSettings } from '../sales.ts'
import { STARTS_AT } from './startsAt.ts'

/** What `updateSale` may change; null for `endsAt`: when the event begins. */
export type SaleChange = Partial<
  Pick<
    SaleSettings,
    | 'preQueueOpensAt'
    | 'opensAt'
    | 'endsAt'
    | 'waitingRoom'
    | 'ticketLimit'
    | 'heldPerAddress'
    | 'heldPerDevice'
    | 'seatPicking'
    | 'challenge'
    | 'returnFees'
  > & { paused: boolean }
>

export interface PriceChange {
  readonly no: number
  readonly price: bigint
  readonly fee: bigint
}

/** The times of a sale that are checked against each other. */
export type SaleTimes = Pick<SaleSettings, 'preQueueOpensAt' | 'opensAt' | 'endsAt'> & {
  /** When the event begins. */
  readonly startsAt: Date
}

/**
 * Changes a sale and its prices, with the audit entry, in one transaction. `check` gets the new times under the sale's
 * lock, and throws to undo the change.
 */
export function changeSale(
  db: Database,
  accountId: string,
  eventId: string,
  change: SaleChange,
  prices: readonly PriceChange[],
  check: (times: SaleTimes) => Promise<void>,
): Promise<void> {
  return inTransaction(db, async (client) => {
    const { rows } = await client.query<SaleTimes>(
      `select pre_queue_opens_at as "preQueueOpensAt", opens_at as "opensAt", ends_at as "endsAt",
         (select ${STARTS_AT} from events where id = $1) as "startsAt"
       from sales where event_id = $1 for no key update`,
      [eventId],
    )
    await check({ ...(rows[0] as SaleTimes), ...change })
    await client.query(
      `update sales set
         pre_queue_opens_at = coalesce($2, pre_queue_opens_at),
         opens_at = coalesce($3, opens_at),
         ends_at = case when $4 then coalesce($5, (select starts_at from events where id = $1)) else ends_at end,
         waiting_room = coalesce($6, waiting_room),
         ticket_limit = coalesce($7, ticket_limit),
         seat_picking = coalesce($8, seat_picking),
         challenge = coalesce($9, challenge),
         paused = coalesce($10, paused),
         held_per_address = coalesce($11, held_per_address),
         held_per_device = coalesce($12, held_per_device),
         return_fees = coalesce($13, return_fees)
       where event_id = $1`,
      [
        eventId,
        change.preQueueOpensAt,
        change.opensAt,
        'endsAt' in change,
        change.endsAt,
        change.waitingRoom,
        change.ticketLimit,
        change.seatPicking,
        change.challenge,
        change.paused,
        change.heldPerAddress,
        change.heldPerDevice,
        change.returnFees,
      ],
    )
    if (prices.length > 0)
      await client.query(
        `update price_levels l set price = p.price, fee = p.fee, priced = true
         from unnest($2::smallint[], $3::bigint[], $4::bigint[]) p (no, price, fee)
         where l.event_id = $1 and l.no = p.no`,
        [eventId, prices.map(({ no }) => no), prices.map(({ price }) => price), prices.map(({ fee }) => fee)],
      )
    await writeAudit(client, {
      eventId,
      accountId,
      action: 'updateSale',
      subject: eventId,
      detail: { ...change, ...(prices.length > 0 && { prices: prices.map(toDetail) }) },
    })
  })
}

function toDetail({ no, price, fee }: PriceChange) {
  return { level: no, price: Number(price), fee: Number(fee) }
}

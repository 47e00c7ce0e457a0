import type { Money } from '../../money.ts'
import type { HoldRow, HoldState } from '../../sql/holds.ts'

export interface HoldItemView {
  readonly seatNo: number
  readonly levelNo: number
  /** In minor units of the currency of the hold's amount. */
  readonly price: bigint
  readonly fee: bigint
}

export interface HoldView {
  readonly id: string
  readonly eventId: string
  readonly state: HoldState
  readonly items: readonly HoldItemView[]
  readonly amount: Money
  readonly expiresAt: Date
  readonly asOf: Date
  /** The order that is paying for the hold or bought it. */
  readonly orderId: string | null
}

export function toHoldView(eventId: string, row: HoldRow): HoldView {
  return {
    id: row.hold_id,
    eventId,
    state: row.state,
    items: row.seat_nos.map((seatNo, i) => ({
      seatNo,
      levelNo: row.level_nos[i] as number,
      price: row.prices[i] as bigint,
      fee: row.fees[i] as bigint,
    })),
    amount: { amount: row.amount, currency: row.currency },
    expiresAt: row.expires_at,
    asOf: row.as_of,
    orderId: row.order_id,
  }
}

import type { Money } from '../../money.ts'
import type { HoldRow, HoldState } from '../../sql/holds/holdAnswers.ts'

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
    id: row.holdId,
    eventId,
    state: row.state,
    items: row.seatNos.map((seatNo, i) => ({
      seatNo,
      levelNo: row.levelNos[i] as number,
      price: row.prices[i] as bigint,
      fee: row.fees[i] as bigint,
    })),
    amount: { amount: row.amount, currency: row.currency },
    expiresAt: row.expiresAt,
    asOf: row.asOf,
    orderId: row.orderId,
  }
}

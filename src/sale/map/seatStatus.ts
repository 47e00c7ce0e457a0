/** A seat's status as the database and the maps have it. A seat that was never changed is available. */
export const AVAILABLE = 0
export const HELD = 1
export const SOLD = 2
export const NOT_FOR_SALE = 3
export type SeatStatus = 0 | 1 | 2 | 3

/** What a committed transaction has made of one seat or place. Of two changes, the higher revision is the later. */
export interface SeatChange {
  readonly seatNo: number
  readonly status: SeatStatus
  readonly revision: number
}

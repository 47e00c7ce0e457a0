/** A seat's status in the database and in the maps. A seat that was never changed is available. */
export const AVAILABLE = 0
export const HELD = 1
export const SOLD = 2
export const NOT_FOR_SALE = 3
export type SeatStatus = 0 | 1 | 2 | 3

/** The new status of one seat or unit after a commit. Of two changes, the one with the higher revision is later. */
export interface SeatChange {
  readonly seatNo: number
  readonly status: SeatStatus
  readonly revision: number
}

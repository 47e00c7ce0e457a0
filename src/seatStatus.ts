/**
 * A seat's status as the database and the maps have it. A seat that was never changed is available. In SQL:
 * prisma/functions/seat_status.sql.
 */
export const AVAILABLE = 0
export const HELD = 1
export const SOLD = 2
export const NOT_FOR_SALE = 3
export type SeatStatus = 0 | 1 | 2 | 3

/**
 * The state that a committed transaction gave one seat, or one unit of general admission. Of two changes, the higher
 * revision is the later.
 */
export interface SeatChange {
  readonly seatNo: number
  readonly status: SeatStatus
  readonly revision: number
}

/** The changes of a commit that gave all of these seats one status, with their new revisions in the seats' order. */
export function seatChanges(
  seatNos: readonly number[],
  status: SeatStatus,
  revisions: readonly number[],
): SeatChange[] {
  return seatNos.map((seatNo, i) => ({ seatNo, status, revision: revisions[i] as number }))
}

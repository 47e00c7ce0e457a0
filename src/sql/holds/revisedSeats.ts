import { type SeatChange, type SeatStatus, seatChanges } from '../../seatStatus.ts'

/** Seats that a statement changed, in seat order, with their new revisions; null for none. */
export interface RevisedSeats {
  seatNos: number[] | null
  revisions: number[] | null
}

export function changesTo(status: SeatStatus, { seatNos, revisions }: RevisedSeats): SeatChange[] {
  return seatNos && revisions ? seatChanges(seatNos, status, revisions) : []
}

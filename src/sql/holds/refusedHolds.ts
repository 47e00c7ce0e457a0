import { HELD, type SeatChange, seatChanges } from '../../seatStatus.ts'
import type { Database } from '../database/database.ts'

/** A hold as checkout knows it. */
export interface RefusedHold {
  readonly eventId: string
  readonly holdId: string
  readonly accountId: string
}

/**
 * Extends a hold whose checkout the payment provider's outage refused, and returns the changes to its seats; none where the hold
 * was not extended. `retrySeconds`: until the next attempt. See prisma/functions/extend_refused_hold.sql.
 */
export async function extendRefusedHold(
  { pool }: Database,
  { eventId, holdId, accountId }: RefusedHold,
  retrySeconds: number,
): Promise<SeatChange[]> {
  const { rows } = await pool.query({
    name: 'extend_refused_hold',
    text: 'select seat_nos as "seatNos", revisions from extend_refused_hold($1, $2, $3, $4)',
    values: [eventId, holdId, accountId, retrySeconds],
  })
  const [{ seatNos, revisions }] = rows
  return seatNos ? seatChanges(seatNos, HELD, revisions) : []
}

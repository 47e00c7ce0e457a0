import type { SeatChange } from '../../seatStatus.ts'
import type { Database } from '../database/database.ts'
import { inTransaction } from '../database/transaction.ts'
import { type NewAuditEntry, writeAudit } from '../ops/audit.ts'

/** The result of blocking seats, or of putting them back on sale. */
export interface Blocked {
  readonly changed: readonly SeatChange[]
  /** Held or sold; ascending. */
  readonly refused: readonly number[]
}

/**
 * Blocks seats, or puts them back on sale (see prisma/functions/block_seats.sql), in one commit with the audit entry.
 * `entryOf` makes that entry of the seats that changed and those that were refused.
 */
export function blockSeats(
  db: Database,
  eventId: string,
  seatNos: readonly number[],
  blocked: boolean,
  entryOf: (changed: readonly number[], refused: readonly number[]) => NewAuditEntry,
): Promise<Blocked> {
  return inTransaction(db, async (client) => {
    const { rows: changed } = await client.query<SeatChange>(
      `select no as "seatNo", seat_status($4) as status, revision from block_seats($1, $2, $3) order by no`,
      [eventId, seatNos, blocked, blocked ? 'NOT_FOR_SALE' : 'AVAILABLE'],
    )
    const { rows: refused } = await client.query<{ no: number }>(
      `select no from seats
       where event_id = $1 and no = any ($2::int[]) and status in (seat_status('HELD'), seat_status('SOLD'))
       order by no`,
      [eventId, seatNos],
    )
    const refusedNos = refused.map(({ no }) => no)
    const entry = entryOf(
      changed.map(({ seatNo }) => seatNo),
      refusedNos,
    )
    await writeAudit(client, entry)
    return { changed, refused: refusedNos }
  })
}

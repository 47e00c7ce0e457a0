import { HELD, type SeatChange, seatChanges } from '../../seatStatus.ts'
import type { Database } from './database.ts'

/** The holds and admissions of an event that got the time of an outage. */
export interface ExtendedEvent {
  readonly eventId: string
  readonly gapSeconds: number
  /** Offers among them. */
  readonly holdIds: readonly string[]
  /** Of the holds' seats. */
  readonly changes: readonly SeatChange[]
  /** The number of admissions. */
  readonly admissions: number
}

/**
 * Renews the pulse. Returns the events with holds or admissions that it extended, which only the process does that finds
 * a gap of over `gapSeconds`. See prisma/functions/renew_pulse.sql and sale_clock.sql.
 */
export async function renewPulse({ pool }: Database, gapSeconds: number): Promise<ExtendedEvent[]> {
  const { rows } = await pool.query({
    name: 'renew_pulse',
    text: `select gap_seconds as "gapSeconds", event_id as "eventId", hold_ids as "holdIds", seat_nos as "seatNos", revisions,
        admissions
      from renew_pulse($1)`,
    values: [gapSeconds],
  })
  return rows.map(({ seatNos, revisions, ...event }) => ({
    ...event,
    changes: seatNos ? seatChanges(seatNos, HELD, revisions) : [],
  }))
}

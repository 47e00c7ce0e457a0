import type { Database } from '../database/database.ts'
import { CLOSED_SINCE } from './rooms.ts'

/** The account's place; null where it has none, or has given it up. */
export async function findPlace(
  { pool }: Database,
  eventId: string,
  account: Uint8Array,
): Promise<{ arrival: number; device: Uint8Array } | null> {
  const { rows } = await pool.query(
    'select arrival, device from places where event_id = $1 and account = $2 and left_at is null',
    [eventId, account],
  )
  return rows[0] ?? null
}

/**
 * Of two changes of a place the later one has the later time, also where the clock stood still or stepped back: by a
 * millisecond, so that it is later as a `Date` too.
 */
const CHANGED_NOW = "greatest(now(), changed_at + interval '1 millisecond')"

/** Gives a place up, once. Returns the time of it; null where another device has the place. */
export async function leavePlace(
  { pool }: Database,
  eventId: string,
  arrival: number,
  device: Uint8Array,
): Promise<Date | null> {
  const { rows } = await pool.query(
    `update places
     set left_at = coalesce(left_at, now()), changed_at = case when left_at is null then ${CHANGED_NOW} else changed_at end
     where event_id = $1 and arrival = $2 and device = $3
     returning changed_at as "changedAt"`,
    [eventId, arrival, device],
  )
  return rows[0]?.changedAt ?? null
}

/** Gives a place that was given up back to its fan, on `device`. Returns the time of it. */
export async function retakePlace(
  { pool }: Database,
  eventId: string,
  arrival: number,
  device: Uint8Array,
): Promise<Date> {
  const { rows } = await pool.query(
    `update places set left_at = null, device = $3, changed_at = ${CHANGED_NOW}
     where event_id = $1 and arrival = $2
     returning changed_at as "changedAt"`,
    [eventId, arrival, device],
  )
  return rows[0].changedAt
}

/** Moves a place to another device. Returns the time of it; null where the place was given up meanwhile. */
export async function movePlace(
  { pool }: Database,
  eventId: string,
  arrival: number,
  device: Uint8Array,
): Promise<Date | null> {
  const { rows } = await pool.query(
    `update places set device = $3, changed_at = ${CHANGED_NOW}
     where event_id = $1 and arrival = $2 and left_at is null
     returning changed_at as "changedAt"`,
    [eventId, arrival, device],
  )
  return rows[0]?.changedAt ?? null
}

export interface Turn {
  readonly device: Uint8Array
  readonly hasLeft: boolean
  /** When the place was called, plus the time in which the line was closed since; null where it was not called yet. */
  readonly calledAt: Date | null
  /** When the last tick ran: whether the line was open after it is not known. */
  readonly tickedAt: Date | null
}

/** A place by the journal and the log of calls; null where it was never journalled. */
export async function readTurn(
  { pool }: Database,
  eventId: string,
  { arrival, place }: { arrival: number; place: number },
): Promise<Turn | null> {
  const { rows } = await pool.query(
    `select p.device, p.left_at is not null as "hasLeft", c.at + ${CLOSED_SINCE} as "calledAt", r.ticked_at as "tickedAt"
     from places p join rooms r on r.event_id = p.event_id
     left join lateral (
       select c.at, c.closed from calls c
       where c.event_id = $1 and c.admitted_up_to >= $3
       order by c.admitted_up_to limit 1
     ) c on true
     where p.event_id = $1 and p.arrival = $2`,
    [eventId, arrival, place],
  )
  return rows[0] ?? null
}

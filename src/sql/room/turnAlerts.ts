import type { Database } from '../database/database.ts'
import { inTransaction } from '../database/transaction.ts'

/** SOON: about five minutes before the turn. */
export type Moment = 'SOON' | 'TURN'

/** A browser's push subscription, and the kid of our key that it is bound to. */
export interface PushTarget {
  readonly endpoint: string
  readonly p256dh: string
  readonly auth: string
  readonly key: string
}

/** The key of an alert. `target`: the digest of a push endpoint; empty for mail. */
export interface AlertKey {
  readonly eventId: string
  readonly arrival: number
  readonly target: string
}

export interface RequestedAlert {
  readonly target: string
  readonly email: string | null
  readonly push: PushTarget | null
}

export interface AlertRequest {
  readonly eventId: string
  readonly arrival: number
  readonly device: Uint8Array
  /** Null until the draw is made. */
  readonly place: number | null
  /** The first moment of the new alerts. */
  readonly moment: Moment
  readonly locale: string
  readonly alerts: readonly RequestedAlert[]
}

/** The alerts that a place has. */
export interface AlertCounts {
  readonly mail: boolean
  /** Browsers with web push. */
  readonly browsers: number
}

/** Browsers with web push that one place may have: a further one replaces the oldest. */
const MOST_BROWSERS = 3

/**
 * Adds alerts to a place, or renews those that it has, whose moments stay. Returns all alerts of the place; null where the device
 * does not have the place, or the place was given up. The lock orders it with a leave: none of them misses the other.
 */
export function requestAlerts(roomDb: Database, request: AlertRequest): Promise<AlertCounts | null> {
  const { eventId, arrival, device, place, moment, locale } = request
  return inTransaction(roomDb, async (client) => {
    const { rowCount } = await client.query(
      `select from places
       where event_id = $1 and arrival = $2 and device = $3 and left_at is null
       for no key update`,
      [eventId, arrival, device],
    )
    if (rowCount === 0) return null
    for (const { target, email, push } of request.alerts)
      await client.query(
        `insert into turn_alerts (event_id, arrival, target, device, place, moment, locale, email, push)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
         on conflict (event_id, arrival, target) do update
           set device = excluded.device, locale = excluded.locale, email = excluded.email, push = excluded.push`,
        [eventId, arrival, target, device, place, moment, locale, email, push && JSON.stringify(push)],
      )
    const { rows } = await client.query(
      `with surplus as (
         delete from turn_alerts
         where event_id = $1 and arrival = $2 and target in (
           select target from turn_alerts
           where event_id = $1 and arrival = $2 and push is not null
           order by created_at desc, target offset ${MOST_BROWSERS}
         )
       )
       select coalesce(bool_or(email is not null), false) as mail,
         least(count(push), ${MOST_BROWSERS})::int as browsers
       from turn_alerts where event_id = $1 and arrival = $2`,
      [eventId, arrival],
    )
    return rows[0]
  })
}

/** Erases the alerts of a place. */
export async function erasePlaceAlerts({ pool }: Database, eventId: string, arrival: number): Promise<void> {
  await pool.query('delete from turn_alerts where event_id = $1 and arrival = $2', [eventId, arrival])
}

/** Erases up to `limit` alerts of an event. Returns how many. */
export async function eraseEventAlerts({ pool }: Database, eventId: string, limit: number): Promise<number> {
  const { rowCount } = await pool.query(
    `delete from turn_alerts where ctid = any (
       array(select ctid from turn_alerts where event_id = $1 limit $2 for update skip locked))`,
    [eventId, limit],
  )
  return rowCount ?? 0
}

/** The events with alerts. It reads the key's index from event to event: the cost is that of the events, not of their alerts. */
export async function readEventsWithAlerts({ pool }: Database): Promise<string[]> {
  const { rows } = await pool.query<{ eventId: string }>({
    name: 'events_with_alerts',
    text: `with recursive found as (
        (select event_id from turn_alerts order by event_id limit 1)
        union all
        select (select a.event_id from turn_alerts a where a.event_id > f.event_id order by a.event_id limit 1)
          from found f where f.event_id is not null
      )
      select event_id as "eventId" from found where event_id is not null`,
  })
  return rows.map(({ eventId }) => eventId)
}

/** Up to `limit` arrivals whose alerts have no place yet. */
export async function readUnplacedAlerts(
  { pool }: Database,
  eventId: string,
  limit: number,
): Promise<number[]> {
  const { rows } = await pool.query<{ arrival: number }>(
    'select distinct arrival from turn_alerts where event_id = $1 and place is null order by arrival limit $2',
    [eventId, limit],
  )
  return rows.map(({ arrival }) => arrival)
}

/** Sets the places of arrivals, once. */
export async function placeAlerts(
  { pool }: Database,
  eventId: string,
  arrivals: readonly number[],
  places: readonly number[],
): Promise<void> {
  await pool.query(
    `update turn_alerts a set place = p.place
     from unnest($2::int[], $3::int[]) p (arrival, place)
     where a.event_id = $1 and a.arrival = p.arrival and a.place is null`,
    [eventId, arrivals, places],
  )
}

/** Erases one alert. */
export async function eraseAlert({ pool }: Database, { eventId, arrival, target }: AlertKey): Promise<void> {
  await pool.query('delete from turn_alerts where event_id = $1 and arrival = $2 and target = $3', [
    eventId,
    arrival,
    target,
  ])
}

import type { Database } from '../database/database.ts'
import type { AlertKey, Moment, PushTarget } from './turnAlerts.ts'

/** A message is of no use once the moment is this long ago; of the turn as long as a turn lasts. */
const SOON_USEFUL_SECONDS = 300

/** A run that took a message and has not ended it so long after its last use has died. */
const DIED_AFTER_SECONDS = 60

/**
 * Its parameters are the event, the last place for SOON, the last place for TURN, the seconds of a turn and the limit. Both
 * branches read the index by moment and place, so a tick reads only the alerts that are due: test/sql/room/turnAlerts.test.ts.
 */
export const SCHEDULE = `with due as (
    (select event_id, arrival, target, moment from turn_alerts
      where event_id = $1 and moment = 'SOON' and place <= $2 order by place limit $5)
    union all
    (select event_id, arrival, target, moment from turn_alerts
      where event_id = $1 and moment = 'TURN' and place <= $3 order by place limit $5)
  ), locked as (
    select a.event_id, a.arrival, a.target, a.device, a.place, a.email
    from due d
    join turn_alerts a
      on a.event_id = d.event_id and a.arrival = d.arrival and a.target = d.target and a.moment = d.moment
    for update of a skip locked
  ), judged as (
    select l.event_id, l.arrival, l.target, l.place <= $3 as is_turn,
      p.arrival is not null and p.left_at is null and (l.email is not null or p.device = l.device) as is_wanted
    from locked l left join places p on p.event_id = l.event_id and p.arrival = l.arrival
  ), erased as (
    delete from turn_alerts a using judged j
    where a.event_id = j.event_id and a.arrival = j.arrival and a.target = j.target and not j.is_wanted
  ), dead as (
    delete from turn_alerts
    where event_id = $1 and send_at is null and sending is not null and moment is null
      and send_until < now() - make_interval(secs => ${DIED_AFTER_SECONDS})
  ), scheduled as (
    update turn_alerts a
    set moment = case when j.is_turn then null else 'TURN' end, sending = case when j.is_turn then 'TURN' else 'SOON' end,
      send_at = now(), send_until = now() + make_interval(secs => case when j.is_turn then $4 else ${SOON_USEFUL_SECONDS} end),
      attempts = 0
    from judged j
    where a.event_id = j.event_id and a.arrival = j.arrival and a.target = j.target and j.is_wanted
    returning 1
  )
  select (select count(*) from judged)::int as due`

/**
 * Schedules the messages that are due: SOON up to one place, TURN up to another one. Each moment of an alert is scheduled once. An
 * alert whose place was given up, or moved to another device, is erased. Returns how many were due, up to twice `limit`.
 */
export async function scheduleAlerts(
  { pool }: Database,
  eventId: string,
  { soonUpTo, turnUpTo, turnSeconds }: { soonUpTo: number; turnUpTo: number; turnSeconds: number },
  limit: number,
): Promise<number> {
  const { rows } = await pool.query<{ due: number }>({
    name: 'schedule_alerts',
    text: SCHEDULE,
    values: [eventId, Math.max(soonUpTo, turnUpTo), turnUpTo, turnSeconds, limit],
  })
  return rows[0]?.due ?? 0
}

/** A message to send. */
export interface TakenAlert extends AlertKey {
  readonly place: number
  readonly sending: Moment
  readonly attempts: number
  readonly locale: string
  readonly email: string | null
  readonly push: PushTarget | null
  /** Seconds for which the message has a use. */
  readonly usefulSeconds: number
}

/**
 * Takes up to `limit` messages that are to be sent now, and commits that before any of them is sent: after a kill, no run sends
 * them again.
 */
export async function takeAlerts({ pool }: Database, eventId: string, limit: number): Promise<TakenAlert[]> {
  const { rows } = await pool.query<TakenAlert>({
    name: 'take_alerts',
    // As a subquery of the update it could run once for each row of the other side, and lock more rows than the limit.
    text: `with d as materialized (
        select event_id, arrival, target from turn_alerts
        where event_id = $1 and send_at <= now()
        order by send_at limit $2
        for update skip locked
      )
      update turn_alerts a
      set send_at = null, attempts = a.attempts + 1
      from d
      where a.event_id = d.event_id and a.arrival = d.arrival and a.target = d.target
      returning a.event_id as "eventId", a.arrival, a.target, a.place, a.sending, a.attempts, a.locale, a.email, a.push,
        extract(epoch from a.send_until - now())::float8 as "usefulSeconds"`,
    values: [eventId, limit],
  })
  return rows
}

const IS_TAKEN = 'event_id = $1 and arrival = $2 and target = $3 and sending = $4 and send_at is null'

/** Ends a message that was taken. The alert is erased with its last one. */
export async function endAlert(
  { pool }: Database,
  { eventId, arrival, target, sending }: AlertKey & { sending: Moment },
): Promise<void> {
  await pool.query(
    `with ended as (update turn_alerts set sending = null, send_until = null where ${IS_TAKEN} and moment is not null)
     delete from turn_alerts where ${IS_TAKEN} and moment is null`,
    [eventId, arrival, target, sending],
  )
}

/** Gives a message back that was certainly not sent, for a run after so many seconds. False where it would be of no use then. */
export async function giveAlertBack(
  { pool }: Database,
  { eventId, arrival, target, sending }: AlertKey & { sending: Moment },
  seconds: number,
): Promise<boolean> {
  const { rowCount } = await pool.query(
    `update turn_alerts set send_at = now() + make_interval(secs => $5)
     where ${IS_TAKEN} and send_until > now() + make_interval(secs => $5)`,
    [eventId, arrival, target, sending, seconds],
  )
  return rowCount === 1
}

import type { Database } from './database.ts'

/** A room as it is now, with what its log says. */
export interface RoomRow {
  readonly eventId: string
  readonly tick: number
  readonly admittedUpTo: number
  readonly paused: boolean
  /** Places a second, at most. */
  readonly rateCeiling: number
  /** Hex. Public from the start. */
  readonly commitment: string
  /** Hex; null until the draw is made. */
  readonly seed: string | null
  /** How many joined before the opening; null until the draw is made. */
  readonly size: number | null
  readonly beacon: string
  /** The last arrival index that is journalled. */
  readonly joined: number
  /** Seconds in which the room was not paused and somebody waited. */
  readonly worked: number
  /** `admittedUpTo` as it was a minute of such seconds ago. */
  readonly admittedBefore: number
  /** What the last tick counted and measured: admissions alive; seats that a place called comes to take; of holds
      that ended, the share that ended unpaid. */
  readonly inside: number
  readonly seatsPerPlace: number
  readonly unpaidShare: number
  readonly now: Date
}

/** The window of the measured rate, in seconds of `worked`. */
export const RATE_WINDOW_SECONDS = 60

/** Null where the event has no room. */
export async function readRoom({ pool }: Database, eventId: string): Promise<RoomRow | null> {
  const { rows } = await pool.query({
    text: `select r.event_id as "eventId", r.tick, r.admitted_up_to as "admittedUpTo", r.paused,
        r.rate_ceiling as "rateCeiling", r.commitment, r.size, r.beacon,
        case when r.size is not null then encode(r.seed, 'hex') end as seed,
        coalesce((select max(p.arrival) from places p where p.event_id = $1), 0) as joined,
        r.worked,
        coalesce((
          select c.admitted_up_to from calls c
          where c.event_id = $1 and c.worked <= r.worked - $2
          order by c.tick desc limit 1
        ), 0) as "admittedBefore",
        r.inside, r.seats_per_place as "seatsPerPlace", r.unpaid_share as "unpaidShare",
        clock_timestamp() as now
      from rooms r where r.event_id = $1`,
    values: [eventId, RATE_WINDOW_SECONDS],
  })
  const [row] = rows
  return row ? { ...row, tick: Number(row.tick) } : null
}

/** `admittedUpTo` as it was `seconds` ago. */
export async function readAdmittedAgo({ pool }: Database, eventId: string, seconds: number): Promise<number> {
  const { rows } = await pool.query({
    text: `select c.admitted_up_to as "admittedUpTo" from calls c
      where c.event_id = $1 and c.at <= now() - make_interval(secs => $2)
      order by c.tick desc limit 1`,
    values: [eventId, seconds],
  })
  return rows[0]?.admittedUpTo ?? 0
}

export interface Advance {
  readonly eventId: string
  /** The tick that this one was reckoned from. */
  readonly seen: number
  readonly admittedUpTo: number
  /** How many places are called. */
  readonly called: number
  /** The room is not paused and somebody waits: the time counts for the measured rate. */
  readonly working: boolean
  readonly inside: number
  readonly seatsPerPlace: number
  readonly unpaidShare: number
}

/**
 * One tick, in one conditional statement: where the tick seen is still the last one, and at least 0.9 s ago by the
 * database's clock. Else nothing changes and the answer is null: another pacer was there, or this one slept. A tick
 * that calls somebody is logged. A gap in the ticks counts for ten seconds at most.
 */
export async function advanceRoom(
  { pool }: Database,
  { eventId, seen, admittedUpTo, called, working, inside, seatsPerPlace, unpaidShare }: Advance,
): Promise<Pick<RoomRow, 'tick' | 'admittedUpTo' | 'worked' | 'admittedBefore'> | null> {
  const { rows } = await pool.query({
    text: `with ticked as (
        update rooms r
        set tick = r.tick + 1, ticked_at = now(), admitted_up_to = $3,
          worked = r.worked + case when $5
            then least(coalesce(extract(epoch from now() - r.ticked_at), 1), 10) else 0 end,
          inside = $6, seats_per_place = $7, unpaid_share = $8
        where r.event_id = $1 and r.tick = $2
          and (r.ticked_at is null or r.ticked_at <= now() - interval '0.9 seconds')
          and (r.paused = false or r.admitted_up_to = $3)
        returning r.tick, r.ticked_at, r.admitted_up_to, r.worked
      ), called as (
        insert into calls (event_id, tick, at, admitted_up_to, worked)
        select $1, t.tick, t.ticked_at, t.admitted_up_to, t.worked from ticked t where $4::int > 0
      )
      select t.tick, t.admitted_up_to as "admittedUpTo", t.worked,
        coalesce((
          select c.admitted_up_to from calls c
          where c.event_id = $1 and c.worked <= t.worked - $9
          order by c.tick desc limit 1
        ), 0) as "admittedBefore"
      from ticked t`,
    values: [
      eventId,
      seen,
      admittedUpTo,
      called,
      working,
      inside,
      seatsPerPlace,
      unpaidShare,
      RATE_WINDOW_SECONDS,
    ],
  })
  const [row] = rows
  return row ? { ...row, tick: Number(row.tick) } : null
}

/** Sets what is given. False where the event has no room. */
export async function changeRoom(
  { pool }: Database,
  eventId: string,
  { rate, paused }: { rate?: number | null; paused?: boolean | null },
): Promise<boolean> {
  const { rowCount } = await pool.query(
    `update rooms set rate_ceiling = coalesce($2, rate_ceiling), paused = coalesce($3, paused)
     where event_id = $1`,
    [eventId, rate ?? null, paused ?? null],
  )
  return rowCount === 1
}

/** The room of an event to be: an event that is not created after all leaves a row that nobody can name. */
export async function insertRoom(
  queueDb: Database,
  room: { eventId: string; seed: Uint8Array; commitment: string; rateCeiling: number },
): Promise<void> {
  await queueDb.pool.query(
    'insert into rooms (event_id, seed, commitment, rate_ceiling) values ($1, $2, $3, $4)',
    [room.eventId, room.seed, room.commitment, room.rateCeiling],
  )
}

export async function deleteRoom(queueDb: Database, eventId: string): Promise<void> {
  await queueDb.pool.query('delete from rooms where event_id = $1', [eventId])
}

/** True once the draw is made. */
export async function isDrawn(queueDb: Database, eventId: string): Promise<boolean> {
  const { rowCount } = await queueDb.pool.query(
    'select from rooms where event_id = $1 and size is not null',
    [eventId],
  )
  return rowCount !== 0
}

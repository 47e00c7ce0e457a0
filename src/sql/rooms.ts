import type { Database } from './database.ts'

/** A room as it is now, with what its log says. */
export interface RoomRow {
  readonly eventId: string
  readonly tick: number
  readonly admittedUpTo: number
  readonly paused: boolean
  /** Places a second that the pacer may call now: the controller's rate, and never above the ceiling. */
  readonly rate: number
  /** What ops allow at most. */
  readonly rateCeiling: number
  /** A sentence that says why the rate is under the ceiling; empty while nothing is cut. */
  readonly rateReason: string
  /** What the controller has cut the rate to; null while nothing is cut. */
  readonly cutTo: number | null
  /** When it last changed that. */
  readonly rateChangedAt: Date | null
  /** The rate at which trouble last began, and when the controller last cut for it. */
  readonly troubledRate: number | null
  readonly cutAt: Date | null
  /** Seconds in which searchers had something to take, and when each of the last quarters of a minute of it ended. */
  readonly chances: number
  readonly chanceMarks: readonly Date[]
  /** Hex. Public from the start. */
  readonly commitment: string
  readonly opensAt: Date
  /** How many joined before the line was frozen; null until then. */
  readonly size: number | null
  /** Where the public randomness comes from that the draw waits for; null: from nowhere, it takes none. */
  readonly beaconSource: string | null
  /** Empty until it is given, once the line is frozen. */
  readonly beacon: string
  /** Hex; null until the draw is made, which is once the line is frozen and the beacon, if there is one, is given. */
  readonly seed: string | null
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

const RATE =
  'least(r.rate, r.rate_ceiling) as rate, r.rate_ceiling as "rateCeiling", r.rate_reason as "rateReason"'

/** Null where the event has no room. */
export async function readRoom({ pool }: Database, eventId: string): Promise<RoomRow | null> {
  const { rows } = await pool.query({
    text: `select r.event_id as "eventId", r.tick, r.admitted_up_to as "admittedUpTo", r.paused,
        ${RATE},
        r.rate as "cutTo", r.rate_changed_at as "rateChangedAt", r.troubled_rate as "troubledRate", r.cut_at as "cutAt",
        r.chances, r.chance_marks as "chanceMarks",
        r.commitment, r.opens_at as "opensAt", r.size, r.beacon_source as "beaconSource", r.beacon,
        case when r.size is not null and (r.beacon_source is null or r.beacon <> '')
          then encode(r.seed, 'hex') end as seed,
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

/**
 * Between two ticks that are further apart the line was closed, but for so many seconds: a store was away, or every worker.
 * Nobody who was called then could come.
 */
const LONGEST_GAP_SECONDS = 10

/** The time that the line was closed since the call `c` of the room `r`, an interval. */
export const CLOSED_SINCE = `make_interval(secs => r.closed - c.closed
  + greatest(extract(epoch from now() - r.ticked_at) - ${LONGEST_GAP_SECONDS}, 0))`

/** `admittedUpTo` as it was `seconds` ago, those apart in which the line was closed. */
export async function readAdmittedAgo({ pool }: Database, eventId: string, seconds: number): Promise<number> {
  const { rows } = await pool.query({
    text: `select c.admitted_up_to as "admittedUpTo" from calls c join rooms r on r.event_id = c.event_id
      where c.event_id = $1 and c.at + ${CLOSED_SINCE} <= now() - make_interval(secs => $2)
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
  /** The ceiling that this was reckoned from: where another is set meanwhile, a rate that came up to it stays. */
  readonly rateCeiling: number
  /** Of the controller; `cutTo` null: the ceiling alone is in force. */
  readonly cutTo: number | null
  readonly rateReason: string
  readonly rateChangedAt: Date | null
  readonly troubledRate: number | null
  readonly cutAt: Date | null
  readonly chances: number
  readonly chanceMarks: readonly Date[]
}

/** What a tick changes of a room's row, as it is after it. */
export type Advanced = Pick<
  RoomRow,
  'tick' | 'admittedUpTo' | 'worked' | 'admittedBefore' | 'rate' | 'rateCeiling' | 'rateReason'
>

const STAYS_CUT = '$10::float8 is null and r.rate_ceiling <> $17'

/**
 * One tick, in one conditional statement: where the tick seen is still the last one, and at least 0.9 s ago by the
 * database's clock. Else nothing changes and the answer is null: another pacer was there, or this one slept. A tick
 * that calls somebody is logged. Of a gap in the ticks ten seconds count; for the rest the line was closed.
 */
export async function advanceRoom({ pool }: Database, advance: Advance): Promise<Advanced | null> {
  const { rows } = await pool.query({
    text: `with ticked as (
        update rooms r
        set tick = r.tick + 1, ticked_at = now(), admitted_up_to = $3,
          worked = r.worked + case when $5
            then least(coalesce(extract(epoch from now() - r.ticked_at), 1), ${LONGEST_GAP_SECONDS}) else 0 end,
          closed = r.closed + greatest(extract(epoch from now() - r.ticked_at) - ${LONGEST_GAP_SECONDS}, 0),
          inside = $6, seats_per_place = $7, unpaid_share = $8,
          rate = case when ${STAYS_CUT} then r.rate else $10 end,
          rate_reason = case when ${STAYS_CUT} then r.rate_reason else $11 end,
          rate_changed_at = case when ${STAYS_CUT} then r.rate_changed_at else $12 end,
          troubled_rate = $13, cut_at = $14, chances = $15, chance_marks = $16
        where r.event_id = $1 and r.tick = $2
          and (r.ticked_at is null or r.ticked_at <= now() - interval '0.9 seconds')
          and (r.paused = false or r.admitted_up_to = $3)
        returning r.tick, r.ticked_at, r.admitted_up_to, r.worked, r.closed, r.rate, r.rate_ceiling, r.rate_reason
      ), called as (
        insert into calls (event_id, tick, at, admitted_up_to, worked, closed)
        select $1, t.tick, t.ticked_at, t.admitted_up_to, t.worked, t.closed from ticked t where $4::int > 0
      )
      select r.tick, r.admitted_up_to as "admittedUpTo", r.worked, ${RATE},
        coalesce((
          select c.admitted_up_to from calls c
          where c.event_id = $1 and c.worked <= r.worked - $9
          order by c.tick desc limit 1
        ), 0) as "admittedBefore"
      from ticked r`,
    values: [
      advance.eventId,
      advance.seen,
      advance.admittedUpTo,
      advance.called,
      advance.working,
      advance.inside,
      advance.seatsPerPlace,
      advance.unpaidShare,
      RATE_WINDOW_SECONDS,
      advance.cutTo,
      advance.rateReason,
      advance.rateChangedAt,
      advance.troubledRate,
      advance.cutAt,
      advance.chances,
      advance.chanceMarks,
      advance.rateCeiling,
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
  roomDb: Database,
  room: {
    eventId: string
    opensAt: Date
    seed: Uint8Array
    commitment: string
    beaconSource: string | null
    rateCeiling: number
  },
): Promise<void> {
  await roomDb.pool.query(
    `insert into rooms (event_id, opens_at, seed, commitment, beacon_source, rate_ceiling)
     values ($1, $2, $3, $4, $5, $6)`,
    [room.eventId, room.opensAt, room.seed, room.commitment, room.beaconSource, room.rateCeiling],
  )
}

export async function deleteRoom(roomDb: Database, eventId: string): Promise<void> {
  await roomDb.pool.query('delete from rooms where event_id = $1', [eventId])
}

/**
 * Fixes how many are in the draw, once and for good, after the opening. True where this call did it.
 *
 * One statement, whose snapshot is later than the now() that it compares: whatever was journalled before the opening
 * is counted, whoever makes the call. An index given by Redis and journalled later is in the draw if a higher one was
 * journalled in time, and late if none was; either way it was given before anybody could know the seed. Should the
 * statement have waited for a tick or for a change of the opening, then PostgreSQL compares anew with what that wrote.
 */
export async function freezeLine({ pool }: Database, eventId: string): Promise<boolean> {
  const { rowCount } = await pool.query(
    `update rooms
     set size = coalesce((select max(p.arrival) from places p where p.event_id = $1), 0)
     where event_id = $1 and size is null and now() >= opens_at`,
    [eventId],
  )
  return rowCount === 1
}

/** Moves the opening, if the line is not frozen yet: false where it is. */
export async function moveOpening({ pool }: Database, eventId: string, opensAt: Date): Promise<boolean> {
  const { rowCount } = await pool.query(
    'update rooms set opens_at = $2 where event_id = $1 and size is null',
    [eventId, opensAt],
  )
  return rowCount === 1
}

/** Mixes the public randomness in, once, into a line that is frozen and waits for it: false where it does not. */
export async function giveBeacon({ pool }: Database, eventId: string, beacon: string): Promise<boolean> {
  const { rowCount } = await pool.query(
    `update rooms set beacon = $2
     where event_id = $1 and size is not null and beacon_source is not null and beacon = ''`,
    [eventId, beacon],
  )
  return rowCount === 1
}

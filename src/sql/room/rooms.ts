import type { Database } from '../database/database.ts'

/** A room as it is now, with figures from its log of calls. */
export interface RoomRow {
  readonly eventId: string
  readonly tick: number
  readonly admittedUpTo: number
  readonly paused: boolean
  /** Places a second that the pacer may call now: the controller's rate, and never above the ceiling. */
  readonly rate: number
  /** The highest rate that ops allow. */
  readonly rateCeiling: number
  /** A sentence with the reason why the rate is under the ceiling; empty while it is not cut. */
  readonly rateReason: string
  /** The rate to which the controller has cut; null while it has not. */
  readonly cutTo: number | null
  /** When it last changed `cutTo`. */
  readonly rateChangedAt: Date | null
  /** The rate at which trouble last began, and when the controller last cut for it. */
  readonly troubledRate: number | null
  readonly cutAt: Date | null
  /** Seconds in which searchers had seats to take, and the end of each of its last quarters of a minute. */
  readonly chances: number
  readonly chanceMarks: readonly Date[]
  /** Hex. Public from the start. */
  readonly commitment: string
  readonly opensAt: Date
  /** How many joined before the line was frozen; null until then. */
  readonly size: number | null
  /** The source of the public randomness that the draw waits for; null: the draw takes none. */
  readonly beaconSource: string | null
  /** Empty until it is given, once the line is frozen. */
  readonly beacon: string
  /** Hex; null until the draw is made: once the line is frozen and the beacon, if there is one, is given. */
  readonly seed: string | null
  /** The last arrival index that is journalled. */
  readonly joined: number
  /** Seconds in which the room was not paused and at least one fan waited. */
  readonly worked: number
  /** `admittedUpTo` as it was a minute of such seconds ago. */
  readonly admittedBefore: number
  /** Figures of the last tick: admissions alive; seats that a called place takes on average; of the holds that ended,
      the share that ended unpaid. */
  readonly inside: number
  readonly seatsPerPlace: number
  readonly unpaidShare: number
  readonly now: Date
}

/** The window of the measured rate, in seconds of `worked`. */
export const RATE_WINDOW_SECONDS = 60

export const RATE =
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
 * Between two ticks that are further apart the line was closed, except for so many seconds: a store was away, or every
 * worker. A fan who was called then could not come.
 */
export const LONGEST_GAP_SECONDS = 10

/** The time that the line was closed since the call `c` of the room `r`, an interval. */
export const CLOSED_SINCE = `make_interval(secs => r.closed - c.closed
  + greatest(extract(epoch from now() - r.ticked_at) - ${LONGEST_GAP_SECONDS}, 0))`

/** `admittedUpTo` as it was `seconds` ago, without the seconds in which the line was closed. */
export async function readAdmittedAgo({ pool }: Database, eventId: string, seconds: number): Promise<number> {
  const { rows } = await pool.query({
    text: `select c.admitted_up_to as "admittedUpTo" from calls c join rooms r on r.event_id = c.event_id
      where c.event_id = $1 and c.at + ${CLOSED_SINCE} <= now() - make_interval(secs => $2)
      order by c.tick desc limit 1`,
    values: [eventId, seconds],
  })
  return rows[0]?.admittedUpTo ?? 0
}

/** Sets the values that are given. False where the event has no room. */
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

/** Inserts the room of an event before the event: where that fails, a row stays that no id leads to. */
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
 * Fixes the number of fans in the draw, once and for good, after the opening. True where this call did it.
 *
 * One statement, whose snapshot is later than the now() that it compares: it counts every place that was journalled before
 * the opening, whichever process calls. An index that was journalled later is in the draw where a higher one was journalled
 * in time, and late where none was; either way Redis gave it before the seed was public. Where the statement waits for a
 * tick or for a change of the opening, PostgreSQL compares again with the row that this wrote.
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

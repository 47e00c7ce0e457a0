import type { Database } from '../database/database.ts'
import { CLOSED_SINCE, LONGEST_GAP_SECONDS, RATE, RATE_WINDOW_SECONDS, type RoomRow } from './rooms.ts'

/** A room with work for the pacer. */
export interface BusyRoom {
  readonly eventId: string
  /** The draw is made: places can be called. */
  readonly isDrawn: boolean
}

/** So long after the end of the last turn a room is quiet: by then a tick has seen each fan who came in at its very end. */
const QUIET_AFTER_SECONDS = 10

/** How old the last tick of a quiet room may become. Less than LONGEST_GAP_SECONDS, with room for lost rounds. */
const QUIET_TICK_SECONDS = 4

/**
 * Of the rooms given, those with work: the line is to be frozen, fans wait or are inside, a turn runs, or the rate is cut and
 * may rise again. One statement, whatever their number.
 *
 * The others are quiet. The line of a quiet room is open, so no time counts as closed: a turn that is over stays over. For
 * that, the statement moves the time of the last tick of those whose turns matter, and nothing else.
 */
export async function findBusyRooms(
  { pool }: Database,
  open: readonly { eventId: string; isOnSale: boolean; turnSeconds: number }[],
): Promise<BusyRoom[]> {
  if (open.length === 0) return []
  const { rows } = await pool.query({
    name: 'find_busy_rooms',
    text: `with looked as materialized (
        select r.event_id, o.on_sale, r.admitted_up_to, r.ticked_at,
          r.size is not null and (r.beacon_source is null or r.beacon <> '') as drawn,
          r.size is null and o.on_sale or r.inside > 0 or r.rate is not null
            or r.admitted_up_to < coalesce((select max(p.arrival) from places p where p.event_id = r.event_id), 0)
            or r.admitted_up_to > 0 and exists (
              select from calls c
              where c.event_id = r.event_id and c.admitted_up_to = r.admitted_up_to
                and c.at + ${CLOSED_SINCE} > now() - make_interval(secs => o.turn_seconds + ${QUIET_AFTER_SECONDS})
            ) as busy
        from unnest($1::text[], $2::bool[], $3::int[]) o (event_id, on_sale, turn_seconds)
        join rooms r on r.event_id = o.event_id
      ), locked as (
        select r.event_id from rooms r
        where r.event_id = any (array(
          select l.event_id from looked l
          where not l.busy and l.on_sale and l.admitted_up_to > 0
            and l.ticked_at < now() - interval '${QUIET_TICK_SECONDS} seconds'))
        for no key update skip locked
      ), ticked as (
        update rooms r
        set ticked_at = now(),
          closed = r.closed + greatest(extract(epoch from now() - r.ticked_at) - ${LONGEST_GAP_SECONDS}, 0)
        from locked l
        where r.event_id = l.event_id and r.ticked_at < now() - interval '${QUIET_TICK_SECONDS} seconds'
      )
      select event_id as "eventId", drawn as "isDrawn" from looked where busy`,
    values: [
      open.map(({ eventId }) => eventId),
      open.map(({ isOnSale }) => isOnSale),
      open.map(({ turnSeconds }) => turnSeconds),
    ],
  })
  return rows
}

export interface Advance {
  readonly eventId: string
  /** The tick from which this one was computed. */
  readonly seen: number
  readonly admittedUpTo: number
  /** How many places are called. */
  readonly called: number
  /** The room is not paused and at least one fan waits: the time counts for the measured rate. */
  readonly working: boolean
  readonly inside: number
  readonly seatsPerPlace: number
  readonly unpaidShare: number
  /** The ceiling from which this was computed: where ops set another meanwhile, a rate that reached this one stays cut. */
  readonly rateCeiling: number
  /** This and the following: the controller's. `cutTo` null: only the ceiling limits the rate. */
  readonly cutTo: number | null
  readonly rateReason: string
  readonly rateChangedAt: Date | null
  readonly troubledRate: number | null
  readonly cutAt: Date | null
  readonly chances: number
  readonly chanceMarks: readonly Date[]
}

/** The fields of a room that a tick changes, as they are after it. */
export type Advanced = Pick<
  RoomRow,
  'tick' | 'admittedUpTo' | 'worked' | 'admittedBefore' | 'rate' | 'rateCeiling' | 'rateReason'
>

const STAYS_CUT = '$10::float8 is null and r.rate_ceiling <> $17'

/**
 * Makes one tick, in one conditional statement: where the tick seen is still the last one, and at least 0.9 s ago by the
 * database's clock. Otherwise nothing changes and it returns null: another pacer was faster, or this one slept. A tick
 * that calls a place is logged. Of a gap between ticks ten seconds count; for the rest the line was closed.
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

import type { Database } from '../database/database.ts'

export interface History {
  /** Confirmed. */
  readonly orders: number
  readonly tickets: number
  /** Holds that ended, and those of them that ended unpaid. */
  readonly holdsEnded: number
  readonly holdsUnpaid: number
  /** Holds that ended and whose payment, if any, began in their last half minute; and those of them that ended unpaid. */
  readonly holdsLate: number
  readonly holdsLateUnpaid: number
}

/** A hold is late from here on: a called fan takes that long to come in and to choose. */
export const LATE_SECONDS = 30

/** The results of the sale until now. Reads every order and hold of the event: do not call it each second. */
export async function readHistory({ pool }: Database, eventId: string): Promise<History> {
  const { rows } = await pool.query({
    text: `select o.orders, o.tickets, h.*
      from (
        select count(distinct t.order_id)::int as orders, count(*)::int as tickets
        from tickets t where t.event_id = $1 and t.voided_at is null
      ) o, (
        select count(*)::int as "holdsEnded", count(*) filter (where x.outcome <> 'SOLD')::int as "holdsUnpaid",
          count(*) filter (where x.is_late)::int as "holdsLate",
          count(*) filter (where x.is_late and x.outcome <> 'SOLD')::int as "holdsLateUnpaid"
        from (
          select outcome,
            ended_at > coalesce(unpaid_until, expires_at) - make_interval(secs => $2) as is_late
          from holds where event_id = $1 and outcome is not null
        ) x
      ) h`,
    values: [eventId, LATE_SECONDS],
  })
  return rows[0]
}

export interface SearchCounts {
  readonly searched: readonly number[]
  readonly took: readonly number[]
}

/**
 * Counts the searches that began after `since` by the number of marks that they lasted. For each number: the searches
 * that lasted at least as many marks, and those of them that ended with a hold before the next mark. `marks` ascend. A
 * search begins with the admission and ends with the first hold, the admission's end, or now.
 */
export async function countSearches(
  { pool }: Database,
  eventId: string,
  marks: readonly Date[],
  since: Date | null,
): Promise<SearchCounts> {
  const { rows } = await pool.query({
    text: `with searches as (
        select a.admitted_at, least(f.held_at, a.ended_at, a.expires_at, now()) as ended_at, f.held_at
        from admissions a
        cross join lateral (
          select min(h.created_at) as held_at from holds h
          where h.event_id = $1 and h.account_id = a.account_id and h.created_at >= a.admitted_at
        ) f
        where a.event_id = $1 and ($3::timestamptz is null or a.admitted_at > $3 and a.expires_at > $3)
      ), passed as materialized (
        select width_bucket(s.ended_at, $2::timestamptz[]) - width_bucket(s.admitted_at, $2::timestamptz[]) as marks,
          coalesce(s.held_at <= s.ended_at, false) as took
        from searches s
      )
      select array_agg(c.searched order by c.m) as searched, array_agg(c.took order by c.m) as took
      from (
        select m, count(p.marks)::int as searched, count(*) filter (where p.took and p.marks = m)::int as took
        from generate_series(0, cardinality($2::timestamptz[])) m left join passed p on p.marks >= m
        group by m
      ) c`,
    values: [eventId, marks, since],
  })
  return rows[0]
}

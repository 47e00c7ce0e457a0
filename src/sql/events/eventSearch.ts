import type { Database } from '../database/database.ts'
import type { EventRow } from '../plans.ts'
import { STARTS_AT } from './startsAt.ts'

export interface EventSearch {
  /** Each of its words, up to ten, must be the beginning of one of the event's own. An empty text finds every event. */
  readonly text: string
  readonly startsAfter: Date | null
  readonly near: { readonly latitude: number; readonly longitude: number; readonly km: number } | null
  readonly after: {
    readonly rank: number
    /** When the list was first read: it decides for all its pages which events are coming. */
    readonly listedAt: Date
    readonly startsAt: Date
    readonly id: string
  } | null
  readonly limit: number
}

/** Kilometres; a sphere is within 0.6 percent of the ellipsoid. */
const EARTH_RADIUS_KM = 6_371

/**
 * Events that match: coming events before past ones. Then the best match first where there are words; then coming events soonest
 * first, and past events latest first. A text without a letter or digit matches none.
 */
export async function searchEvents(
  { pool }: Database,
  { text, startsAfter, near, after, limit }: EventSearch,
): Promise<(EventRow & { rank: number; listedAt: Date })[]> {
  const { rows } = await pool.query(
    `with query as materialized (
       select string_agg(word || ':*', ' & ')::tsquery as words from unnest((search_words($1))[:10]) word
     )
     select e.* from (
       select ${COLUMNS}, ${LISTED_AT} as "listedAt", ${isPast(STARTS_AT)} as past, ${nearness(STARTS_AT)} as nearness, case when $1::text = '' then 0 else
           ts_rank(search, (select words from query)) end as rank
       from events
       where ($1 = '' or search @@ (select words from query))
         and ($2::timestamptz is null or ${STARTS_AT} > $2)
         and ($3::float8 is null or case when latitude between -90 and 90 and longitude between -180 and 180 then
           ${EARTH_RADIUS_KM} * 2 * asin(least(1, sqrt(
             sin(radians(${LATITUDE} - $3) / 2) ^ 2
               + cos(radians($3)) * cos(radians(${LATITUDE})) * sin(radians(${LONGITUDE} - $4) / 2) ^ 2))) <= $5::float8
           end)
     ) e
     where $6::float4 is null or (e.past, -e.rank, e.nearness, e.id) > (${isPast('$7::timestamptz')}, -$6::float4, ${nearness('$7::timestamptz')}, $8::text)
     order by e.past, e.rank desc, e.nearness, e.id
     limit $9`,
    [
      text,
      startsAfter,
      near?.latitude ?? null,
      near?.longitude ?? null,
      near?.km ?? null,
      after?.rank ?? null,
      after?.startsAt ?? null,
      after?.id ?? null,
      limit,
      after?.listedAt ?? null,
    ],
  )
  return rows
}

const LISTED_AT = "date_trunc('milliseconds', coalesce($10::timestamptz, now()))"
const isPast = (startsAt: string) => `${startsAt} < ${LISTED_AT}`
/** Ascending for coming events, descending for past ones. */
const nearness = (startsAt: string) => `abs(extract(epoch from ${startsAt} - ${LISTED_AT}))`

/**
 * Rounded to a millionth of a degree, as src/sale/numberRanges.ts rounds: PostgreSQL ends a calculation with an error where a
 * result is too small. Rows from before that rounding have any number.
 */
const LATITUDE = 'round(latitude * 1000000) / 1000000'
const LONGITUDE = 'round(longitude * 1000000) / 1000000'

const COLUMNS = `id, slug, name, performers, venue_name as "venueName", venue_city as "venueCity", latitude, longitude,
  ${STARTS_AT} as "startsAt", time_zone as "timeZone", plan_width as "planWidth", plan_height as "planHeight", currency`

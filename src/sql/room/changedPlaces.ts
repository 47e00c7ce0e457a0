import type { Database } from '../database/database.ts'

export interface ChangedPlace {
  readonly arrival: number
  readonly device: Uint8Array
  readonly hasLeft: boolean
  readonly changedAt: Date
}

/** Of each change the index (4 bytes), its time (8), 1 where the place was given up (1), and the device (8). */
const CHANGE_BYTES = 21

/** Changes in a value. */
const CHANGES_TOGETHER = 5_000

/**
 * Places that moved, were given up or taken up again after the millisecond `since`. The iterable decodes one at a time:
 * they are few, but a process that starts may find hundreds of thousands, which as rows would block the event loop.
 */
export async function readChangedPlaces(
  { pool }: Database,
  eventId: string,
  since: Date,
): Promise<Iterable<ChangedPlace>> {
  const { rows } = await pool.query<{ changes: Buffer }>(
    `select string_agg(
       int4send(c.arrival) || float8send(floor(extract(epoch from c.changed_at) * 1000)::float8)
         || case when c.left_at is null then '\\x00'::bytea else '\\x01'::bytea end || c.device,
       ''::bytea
     ) as changes
     from (
       select *, (row_number() over () - 1) / $3 as page from places where event_id = $1 and changed_at > $2::timestamptz + interval '999 microseconds'
     ) c
     group by c.page`,
    [eventId, since, CHANGES_TOGETHER],
  )
  return changesIn(rows.map(({ changes }) => changes))
}

function* changesIn(pages: readonly Buffer[]): Generator<ChangedPlace> {
  for (const page of pages)
    for (let at = 0; at < page.length; at += CHANGE_BYTES)
      yield {
        arrival: page.readInt32BE(at),
        device: new Uint8Array(page.subarray(at + 13, at + CHANGE_BYTES)),
        hasLeft: page[at + 12] === 1,
        changedAt: new Date(page.readDoubleBE(at + 4)),
      }
}

import type pg from 'pg'
import type { Database } from '../database/database.ts'
import { inTransaction } from '../database/transaction.ts'

/** A new copy of the journal in the making. The lock is held, so no place is journalled meanwhile. */
export interface CopyInTheMaking {
  /** The number of the last copy. */
  readonly copy: number
  /** The highest arrival index that was ever given, and of the draw, which is over: the next fan's is higher. */
  readonly last: number
  /** All places in order of arrival, each as 12 bytes of account and 4 bytes of index, big-endian. */
  pages(): AsyncIterable<Buffer>
  /** The new copy's number, in force when the work is done. */
  renumber(copy: number): Promise<void>
}

/** Places in a page: Redis does nothing else while it writes one, for about 5 ms. */
const PAGE = 4_000

/** How long to wait for another process that copies. */
const LOCK_TIMEOUT_MS = 3_000

/**
 * Runs `work` while no process journals or copies. False where the event has no room. Throws where another process
 * copies for long; then try again later.
 */
export function withJournalLocked(
  roomDb: Database,
  eventId: string,
  work: (making: CopyInTheMaking) => Promise<void>,
): Promise<boolean> {
  return inTransaction(roomDb, async (client) => {
    await client.query(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`)
    await client.query('select pg_advisory_xact_lock(places_lock($1))', [eventId])
    const { rows } = await client.query(
      `select r.places_copy as copy,
         greatest(r.admitted_up_to, r.size, coalesce((select max(p.arrival) from places p where p.event_id = $1), 0)) as last
       from rooms r where r.event_id = $1`,
      [eventId],
    )
    const [room] = rows
    if (!room) return false
    await work({
      copy: room.copy,
      last: room.last,
      pages: () => pagesOf(client, eventId),
      async renumber(copy) {
        await client.query('update rooms set places_copy = $2 where event_id = $1', [eventId, copy])
      },
    })
    return true
  })
}

/** Each page is one value: rows would cost many times as much. */
async function* pagesOf(client: pg.PoolClient, eventId: string): AsyncGenerator<Buffer> {
  let after = 0
  for (;;) {
    const { rows } = await client.query<{ last: number | null; places: Buffer }>(
      `select max(p.arrival) as last, string_agg(p.account || int4send(p.arrival), ''::bytea order by p.arrival) as places
       from (
         select arrival, account from places where event_id = $1 and arrival > $2 order by arrival limit $3
       ) p`,
      [eventId, after, PAGE],
    )
    const [page] = rows
    if (!page || page.last === null) return
    yield page.places
    after = page.last
  }
}

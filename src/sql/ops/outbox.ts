import type { Database } from '../database/database.ts'
import { inTransaction } from '../database/transaction.ts'

export interface OutboxRow {
  id: string
  job: string
  data: unknown
}

/**
 * Passes up to `limit` rows of the given jobs to `add` and deletes them, oldest first. Returns how many. Throws what
 * `add` throws, and the rows stay.
 *
 * The deletion commits after the add. Where the process dies in between, the rows stay and are added again under the
 * same ids: no row is lost, and `add` must accept an id twice. Concurrent relays skip each other's rows. A job that
 * only a newer version has is left to that version.
 */
export async function relayBatch(
  db: Database,
  jobs: readonly string[],
  limit: number,
  add: (rows: OutboxRow[]) => Promise<void>,
): Promise<number> {
  return inTransaction(db, async (client) => {
    // Losing this commit in a crash costs a second add, so it need not wait for the disk.
    await client.query('set local synchronous_commit = off')
    const { rows } = await client.query<OutboxRow>(
      `delete from outbox
         where id = any(array(
           select id from outbox where job = any($1) order by id limit $2 for update skip locked
         ))
         returning id, job, data`,
      [jobs, limit],
    )
    if (rows.length > 0) await add(rows.sort((a, b) => (BigInt(a.id) < BigInt(b.id) ? -1 : 1)))
    return rows.length
  })
}

/** How many rows the outbox has, and the age of the oldest: over 10 s should alert ops. */
export async function readOutboxLag(db: Database): Promise<{ rows: number; oldestSeconds: number }> {
  const [row] = await db.prisma.$queryRaw<[{ rows: number; oldestSeconds: number }]>`
    select count(*)::int as rows,
        coalesce(extract(epoch from now() - min(created_at)), 0)::float8 as "oldestSeconds"
      from outbox`
  return row
}

import type pg from 'pg'
import type { Database } from './database.ts'

/** Commits what `work` did with the client it is given, or rolls it back and throws what `work` threw. */
export function inTransaction<T>(db: Database, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  return run(db, 'begin', work)
}

/** All that `work` reads is of one moment. */
export function inSnapshot<T>(db: Database, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  return run(db, 'begin isolation level repeatable read, read only', work)
}

async function run<T>(
  { pool }: Database,
  begin: string,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect()
  let broken: Error | undefined
  try {
    await client.query(begin)
    const result = await work(client)
    await client.query('commit')
    return result
  } catch (error) {
    // A client that cannot even roll back is not given back to the pool.
    await client.query('rollback').catch((reason) => {
      broken = reason
    })
    throw error
  } finally {
    client.release(broken)
  }
}

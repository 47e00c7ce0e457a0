import type pg from 'pg'
import type { Database } from './database.ts'

/** Runs `work` in a transaction and commits; rolls back and throws where `work` throws. */
export function inTransaction<T>(db: Database, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  return run(db, 'begin', work)
}

/** Runs `work` in a read-only transaction with one snapshot. */
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
    // The pool discards a client that cannot roll back.
    await client.query('rollback').catch((reason) => {
      broken = reason
    })
    throw error
  } finally {
    client.release(broken)
  }
}

import { expect } from 'vitest'
import type { Database } from '../../src/sql/database.ts'
import type { TestPostgres } from './postgres.ts'

/** Server settings that log every wait for a lock of 100 ms. */
export const LOG_LOCK_WAITS = { log_lock_waits: 'on', deadlock_timeout: '100ms', log_timezone: 'UTC' }

/** An empty statement takes this long only where the whole machine stood still. In milliseconds. */
const STOOD_STILL_MS = 50

/**
 * Watches the server's log for lock waits. A wait counts only where the machine ran meanwhile: on a busy machine the owner
 * of a lock may not run for a while, which is no fault of the locking.
 */
export function watchLocks({ pool }: Database, { log }: Pick<TestPostgres, 'log'>) {
  const before = log().length
  const pauses: { from: number; to: number }[] = []
  let isOver = false
  async function watch() {
    while (!isOver) {
      const from = Date.now()
      await pool.query('select pg_sleep(0.005)')
      if (Date.now() - from > STOOD_STILL_MS) pauses.push({ from, to: Date.now() })
    }
  }
  const watching = watch()

  function isExcused(line: string): boolean {
    const at = Date.parse(`${line.slice(0, 23).replace(' ', 'T')}Z`)
    return pauses.some(({ from, to }) => from <= at && to >= at - 100)
  }

  return {
    /** Stops, and returns the deadlocks, serialization failures and waits over 100 ms that the server logged meanwhile. */
    async stop(): Promise<string[]> {
      isOver = true
      await watching
      const lines = log().slice(before).split('\n')
      // Each with the owner of the lock and the statement that waits.
      const waits = lines.flatMap((line, i) =>
        line.includes('still waiting for') ? [lines.slice(i, i + 4).join('\n')] : [],
      )
      const counted = waits.filter((wait) => !isExcused(wait))
      console.log(
        `waits over 100 ms: ${counted.length}, and ${waits.length - counted.length} while the machine stood still`,
      )
      return [...lines.filter((line) => /deadlock detected|could not serialize/.test(line)), ...counted]
    },
  }
}

/** Waits until another session of the database waits for a lock that the session `pid` has. */
export async function untilBlockedBy({ pool }: Pick<Database, 'pool'>, pid: number): Promise<void> {
  const isBlocking = async () => {
    const { rows } = await pool.query(
      'select from pg_stat_activity where datname = current_database() and $1 = any (pg_blocking_pids(pid))',
      [pid],
    )
    return rows.length > 0
  }
  await expect.poll(isBlocking, { timeout: 20_000 }).toBe(true)
}

/** The process id of a session, for `untilBlockedBy`. */
export async function pidOf(client: { query(text: string): Promise<{ rows: { pid: number }[] }> }) {
  const { rows } = await client.query('select pg_backend_pid() as pid')
  return (rows[0] as { pid: number }).pid
}

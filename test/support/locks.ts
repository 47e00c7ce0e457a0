import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import type { Database } from '../../src/sql/database/database.ts'
import type { TestPostgres } from './postgres.ts'

/** Server settings that log every wait for a lock of 100 ms. */
export const LOG_LOCK_WAITS = { log_lock_waits: 'on', deadlock_timeout: '100ms', log_timezone: 'UTC' }

/**
 * A lock wait is excused where this much time was lost to the machine meanwhile: an empty statement took as long, or the
 * sessions stood as long in the processor's queue, in total. In milliseconds.
 */
const LOST_MS = 50

interface Sample {
  readonly from: number
  readonly to: number
  /** Milliseconds that each process has spent in the processor's queue since it began. */
  readonly queued: ReadonlyMap<number, number>
}

/**
 * Watches the server's log for lock waits. A wait counts only where the machine ran meanwhile: on a busy machine the owner
 * of a lock may not run for a while, which is no fault of the locking. A lock that its owner keeps while it does nothing
 * counts on a busy machine too: then no session stands in the processor's queue.
 */
export function watchLocks({ pool }: Database, { log }: Pick<TestPostgres, 'log'>) {
  const before = log().length
  const samples: Sample[] = []
  let isOver = false
  async function watch() {
    const client = await pool.connect()
    async function sample() {
      const from = Date.now()
      const { rows } = await client.query<{ pid: number }>(
        `select pid from pg_sleep(0.005), pg_stat_activity
         where backend_type = 'client backend' and pid <> pg_backend_pid()`,
      )
      samples.push({ from, to: Date.now(), queued: new Map(rows.map(({ pid }) => [pid, queuedMs(pid)])) })
    }
    try {
      while (!isOver) await sample()
      // A process's time in the queue is known once it has run again.
      await sleep(2 * LOST_MS)
      await sample()
    } finally {
      client.release()
    }
  }
  const watching = watch()

  function isExcused(wait: string): boolean {
    const to = Date.parse(`${wait.slice(0, 23).replace(' ', 'T')}Z`)
    const from = to - Number(/after ([\d.]+) ms/.exec(wait)?.[1] ?? 100)
    if (samples.some((s) => s.from <= to && s.to >= from && s.to - s.from > LOST_MS)) return true
    const first = samples.findLast((s) => s.to <= from)
    const last = samples.find((s) => s.from >= to + LOST_MS) ?? samples.at(-1)
    let lost = 0
    for (const [pid, ms] of last?.queued ?? []) lost += ms - (first?.queued.get(pid) ?? ms)
    return lost > LOST_MS
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
        `waits over 100 ms: ${counted.length}, and ${waits.length - counted.length} while the machine was busy`,
      )
      return [...lines.filter((line) => /deadlock detected|could not serialize/.test(line)), ...counted]
    },
  }
}

/** The time that a process has spent in the processor's queue, as Linux counts it; 0 on other systems. */
function queuedMs(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6
  } catch {
    return 0
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

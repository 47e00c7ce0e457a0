import { mkdtempSync, rmSync } from 'node:fs'
import { chmod } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { startPostgres } from '../../embedded/postgres.ts'
import { startRedis } from '../../embedded/redis.ts'
import { migrate } from '../../src/sql/database/migrate.ts'
import { endWithThisProcess } from '../../test/support/watchdog.ts'
import { processorTimeOf } from './processorTime.ts'

export interface Stores {
  readonly databaseUrl: string
  readonly redisUrl: string
  /** A folder for files of the measured processes. */
  readonly folder: string
  /** Microseconds of processor time that each store has used so far. */
  cpu(): { readonly postgres: number; readonly redis: number }
  stop(): Promise<void>
}

/** Starts a new PostgreSQL, migrated and as durable as in production, and a new Redis. `stop` deletes both. */
export async function startStores(): Promise<Stores> {
  const folder = mkdtempSync(join(tmpdir(), 'fairgate-bench-'))
  // PostgreSQL runs as another user if this process runs as root.
  await chmod(folder, 0o755)
  const postgres = await startPostgres({ folder: join(folder, 'postgres') })
  const redis = await startRedis({ folder: join(folder, 'redis') })
  const dismissals = [postgres, redis].map(({ pid }) => endWithThisProcess(pid, folder))
  const admin = new pg.Client({ connectionString: urlOf(postgres.url, 'postgres') })
  await admin.connect()
  await admin.query('create database bench')
  await admin.end()
  const databaseUrl = urlOf(postgres.url, 'bench')
  await migrate(databaseUrl)
  return {
    databaseUrl,
    redisUrl: redis.url,
    folder,
    cpu: () => ({ postgres: processorTimeOf(postgres.pid), redis: processorTimeOf(redis.pid) }),
    async stop() {
      await Promise.all([postgres.stop(), redis.stop()])
      for (const dismiss of dismissals) dismiss()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function urlOf(server: string, database: string): string {
  const url = new URL(server)
  url.pathname = `/${database}`
  return url.href
}

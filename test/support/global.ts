import { mkdtempSync, rmSync } from 'node:fs'
import { chmod } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { findOrInstall } from '../../embedded/install.ts'
import { startPostgres } from '../../embedded/postgres.ts'
import { REDIS } from '../../embedded/redis.ts'
import { migrate } from '../../src/sql/migrate.ts'
import { endWithThisProcess } from './watchdog.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The throw-away PostgreSQL, as its superuser. */
    postgresUrl: string
    /** Everything that tests write goes below. */
    temporaryFolder: string
  }
}

/** One throw-away PostgreSQL for the whole run, with a migrated database that test files clone. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // Once, before files that run side by side ask for it.
  findOrInstall(REDIS)
  const folder = mkdtempSync(join(tmpdir(), 'fairgate-test-'))
  // PostgreSQL runs as a user of its own where the tests run as root.
  await chmod(folder, 0o755)
  const postgres = await startPostgres({
    folder: join(folder, 'postgres'),
    settings: {
      // No test pulls the plug of the machine; a PostgreSQL that is killed finds its writes in the
      // system's cache. Commits stay synchronous, so the order of what becomes visible is production's.
      fsync: 'off',
      full_page_writes: 'off',
      max_connections: '400',
      shared_buffers: '128MB',
      autovacuum_naptime: '5s',
    },
  })
  const dismiss = endWithThisProcess(postgres.pid, folder)
  const admin = new URL(postgres.url)
  admin.pathname = '/postgres'
  const client = new pg.Client({ connectionString: admin.href })
  await client.connect()
  await client.query('create database template_fairgate')
  await client.end()
  const template = new URL(postgres.url)
  template.pathname = '/template_fairgate'
  await migrate(template.href)

  project.provide('postgresUrl', admin.href)
  project.provide('temporaryFolder', folder)
  return async () => {
    await postgres.stop()
    dismiss()
    rmSync(folder, { recursive: true, force: true })
  }
}

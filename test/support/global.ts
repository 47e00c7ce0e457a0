import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { chmod } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { findOrInstall } from '../../embedded/install.ts'
import { buildPage } from '../../embedded/page.ts'
import { startPostgres } from '../../embedded/postgres.ts'
import { REDIS } from '../../embedded/redis.ts'
import { migrate } from '../../src/sql/database/migrate.ts'
import { endWithThisProcess } from './watchdog.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The address of the run's PostgreSQL, as its superuser. */
    postgresUrl: string
    /** Tests write below this folder only. */
    temporaryFolder: string
  }
}

/** Every process that a test starts inherits this environment variable and is found by it. */
const MARK = 'FAIRGATE_TEST_FOLDER'

/**
 * Starts one PostgreSQL for the whole run, with a migrated database that test files clone, and removes it afterwards.
 * The run fails at its end where a test file has left a process or a folder behind.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // Once, before files that run side by side look for them: two builds at once would empty each other's folder.
  findOrInstall(REDIS)
  await buildPage(fileURLToPath(new URL('../..', import.meta.url)))
  const folder = mkdtempSync(join(tmpdir(), 'fairgate-test-'))
  const files = join(folder, 'files')
  mkdirSync(files)
  // PostgreSQL runs as a user of its own where the tests run as root.
  for (const path of [folder, files]) await chmod(path, 0o755)
  process.env[MARK] = folder
  const postgres = await startPostgres({
    folder: join(folder, 'postgres'),
    settings: {
      // No test cuts the machine's power: a killed PostgreSQL finds its writes in the system's cache.
      // Commits stay synchronous, so they become visible in the same order as in production.
      fsync: 'off',
      full_page_writes: 'off',
      max_connections: '600',
      shared_buffers: '128MB',
      autovacuum_naptime: '5s',
    },
  })
  const dismiss = endWithThisProcess(postgres.pid, folder)
  const admin = new URL(postgres.url)
  admin.pathname = '/postgres'
  const client = new pg.Client({ connectionString: admin.href })
  await client.connect()
  // A thousandth of the work at each login. Clients keep the same password and method.
  await client.query('set scram_iterations = 1')
  const { username, password } = admin
  await client.query(`alter role ${username} password ${pg.escapeLiteral(password)}`)
  await client.query('create database template_fairgate')
  await client.end()
  const template = new URL(postgres.url)
  template.pathname = '/template_fairgate'
  await migrate(template.href)

  project.provide('postgresUrl', admin.href)
  project.provide('temporaryFolder', files)
  return async () => {
    const left = () => [...leftProcesses(folder, postgres.pid), ...leftFolders(files)]
    // A process that was killed takes a moment to end.
    for (const end = performance.now() + 5_000; left().length > 0 && performance.now() < end; )
      await sleep(50)
    const leaks = left()
    await postgres.stop()
    dismiss()
    rmSync(folder, { recursive: true, force: true })
    if (leaks.length > 0) throw new Error(`Left behind by the tests:\n${leaks.join('\n')}`)
  }
}

/** The command of each process that a test file has started and not ended; empty where there is no /proc. */
function leftProcesses(folder: string, postgres: number): string[] {
  const read = (pid: string, name: string) => {
    try {
      return readFileSync(join('/proc', pid, name), 'utf8')
    } catch {
      return '' // The process has just ended, or belongs to another user.
    }
  }
  const pids = existsSync('/proc/self') ? readdirSync('/proc').filter((name) => /^\d+$/.test(name)) : []
  return pids
    .filter((pid) => read(pid, 'environ').includes(`${MARK}=${folder}\0`))
    .filter((pid) => {
      const parent = read(pid, 'stat').split(') ')[1]?.split(' ')[1]
      return ![pid, parent].includes(String(process.pid)) && ![pid, parent].includes(String(postgres))
    })
    .map((pid) => read(pid, 'cmdline').replaceAll('\0', ' '))
    .filter((command) => command !== '')
}

/** Folders that a test file has made and not removed. Single files, such as those of keys, go with the run. */
function leftFolders(files: string): string[] {
  return readdirSync(files, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(files, name))
}

import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { inject } from 'vitest'
import { type Server, startPostgres } from '../../embedded/postgres.ts'
import { stopProcess } from '../../embedded/processes.ts'
import { migrate } from '../../src/sql/database/migrate.ts'
import { cleanUp } from './cleanUp.ts'
import { endWithThisProcess } from './watchdog.ts'

export interface TestPostgres {
  /** Its migrated database. */
  readonly url: string
  /** The folder of its cluster (`data`), its log and its password. */
  readonly folder: string
  /** Kills the server and all of its sessions, as a crash does. */
  kill(): Promise<void>
  /** The server accepts connections and statements and answers none, until `resume`. */
  hang(): void
  resume(): void
  /** Starts it again on the same port; it recovers from its log. */
  restart(): Promise<void>
  /** Starts it again on another port, and returns its new address. Another program may have the old port by now. */
  restartElsewhere(): Promise<string>
  /** Returns the server's log since its start. */
  log(): string
}

/** Starts a PostgreSQL server for the test file alone, so that it can die without harm to other files. */
export async function testPostgres(more: Record<string, string> = {}): Promise<TestPostgres> {
  const server = await runPostgres(newFolder(), more)
  await migrate(server.url)
  return server
}

/** Returns a new folder for a server. PostgreSQL runs as its own user where the tests run as root. */
export function newFolder(): string {
  const folder = mkdtempSync(join(inject('temporaryFolder'), 'postgres-'))
  chmodSync(folder, 0o755)
  return folder
}

/** Starts the server whose cluster is in `folder`, and creates the cluster if there is none. Both end with the test. */
export async function runPostgres(folder: string, more: Record<string, string>): Promise<TestPostgres> {
  // No test cuts the machine's power: see test/support/global.ts.
  const settings = { fsync: 'off', full_page_writes: 'off', max_connections: '200', ...more }
  let server: Server = await startPostgres({ folder, settings })
  const { url } = server
  let dismiss = endWithThisProcess(server.pid, folder)
  let isRunning = true
  const signal = (name: NodeJS.Signals) => {
    // Its number may be another process's by now.
    if (!isRunning) return
    for (const pid of [server.pid, ...childrenOf(server.pid)]) {
      try {
        process.kill(pid, name)
      } catch {} // The session has just ended.
    }
  }
  const kill = async () => {
    if (!isRunning) return
    const sessions = childrenOf(server.pid)
    signal('SIGKILL')
    // A session that outlives its server would write to the files of the next one.
    for (const pid of [server.pid, ...sessions]) await stopProcess(pid, 'SIGKILL', 0)
    isRunning = false
    dismiss()
  }
  const start = async (port?: number) => {
    await kill()
    server = await startPostgres({ folder, settings, port })
    isRunning = true
    dismiss = endWithThisProcess(server.pid, folder)
    return server.url
  }
  cleanUp(async () => {
    await kill()
    rmSync(folder, { recursive: true, force: true })
  })
  return {
    url,
    folder,
    kill,
    hang: () => signal('SIGSTOP'),
    resume: () => signal('SIGCONT'),
    async restart() {
      await start(Number(new URL(url).port))
    },
    restartElsewhere: () => start(),
    log: () => readFileSync(server.log, 'utf8'),
  }
}

function childrenOf(pid: number): number[] {
  try {
    return execFileSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' })
      .trim()
      .split('\n')
      .map(Number)
  } catch {
    return []
  }
}

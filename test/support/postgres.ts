import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { inject } from 'vitest'
import { type Server, startPostgres } from '../../embedded/postgres.ts'
import { isAlive, stopProcess } from '../../embedded/processes.ts'
import { migrate } from '../../src/sql/migrate.ts'
import { cleanUp } from './cleanUp.ts'
import { endWithThisProcess } from './watchdog.ts'

export interface TestPostgres {
  /** A migrated database of its own. */
  readonly url: string
  /** Ends the server and all of its sessions without a word, as a crash does. */
  kill(): Promise<void>
  /** It takes connections and statements and answers none, until `resume`. */
  hang(): void
  resume(): void
  /** Starts it again on the same port, to recover from its log. */
  restart(): Promise<void>
  /** What the server has said since it was started. */
  log(): string
}

/** A PostgreSQL server of the test file's own, so that its death is nobody else's trouble. */
export async function testPostgres(more: Record<string, string> = {}): Promise<TestPostgres> {
  const folder = mkdtempSync(join(inject('temporaryFolder'), 'postgres-'))
  // It runs as a user of its own where the tests run as root.
  chmodSync(folder, 0o755)
  // As in test/support/global.ts: nobody pulls the plug of the machine.
  const settings = { fsync: 'off', full_page_writes: 'off', max_connections: '200', ...more }
  let server: Server = await startPostgres({ folder, settings })
  const { url } = server
  const port = Number(new URL(url).port)
  let dismiss = endWithThisProcess(server.pid, folder)
  const signal = (name: NodeJS.Signals) => {
    for (const pid of [server.pid, ...childrenOf(server.pid)]) {
      try {
        process.kill(pid, name)
      } catch {} // A session that has just ended.
    }
  }
  const kill = async () => {
    const sessions = childrenOf(server.pid)
    signal('SIGKILL')
    // A session that outlived its server would write to the same files as the next one's.
    for (const pid of [server.pid, ...sessions]) await stopProcess(pid, 'SIGKILL', 0)
    dismiss()
  }
  cleanUp(async () => {
    await kill()
    rmSync(folder, { recursive: true, force: true })
  })
  await migrate(url)
  return {
    url,
    kill,
    hang: () => signal('SIGSTOP'),
    resume: () => signal('SIGCONT'),
    async restart() {
      if (isAlive(server.pid)) await kill()
      server = await startPostgres({ folder, settings, port })
      dismiss = endWithThisProcess(server.pid, folder)
    },
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

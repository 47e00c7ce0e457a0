import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { inject } from 'vitest'
import type { Server } from '../../embedded/postgres.ts'
import { stopProcess } from '../../embedded/processes.ts'
import { startRedis } from '../../embedded/redis.ts'
import { cleanUp } from './cleanUp.ts'
import { endWithThisProcess } from './watchdog.ts'

export interface TestRedis {
  readonly url: string
  /** Ends the server at once, as a crash does. Its append-only file stays. */
  kill(): Promise<void>
  /** From now on the server receives commands and does not reply, until `resume`. */
  hang(): void
  resume(): void
  /** Copies the data that it has written so far. It can be restarted with that copy later. */
  copy(): OlderCopy
  /** Restarts it on the same port: with the data that it had written, with none, or with an older copy. */
  restart(data: 'kept' | 'lost' | OlderCopy): Promise<void>
}

export interface OlderCopy {
  readonly path: string
}

/** Starts a Redis server for this test file alone, so that a flush, a kill or a slow script affects no other file. `more`: its settings. */
export async function testRedis(more: Record<string, string> = {}): Promise<TestRedis> {
  const folder = mkdtempSync(join(inject('temporaryFolder'), 'redis-'))
  const written = join(folder, 'appendonlydir')
  let server: Server = await startRedis({ folder, settings: more })
  const port = Number(new URL(server.url).port)
  let dismiss = endWithThisProcess(server.pid, folder)
  const kill = async () => {
    await stopProcess(server.pid, 'SIGKILL', 0)
    dismiss()
  }
  cleanUp(async () => {
    await kill()
    rmSync(folder, { recursive: true, force: true })
  })
  return {
    url: server.url,
    kill,
    hang: () => void process.kill(server.pid, 'SIGSTOP'),
    resume: () => void process.kill(server.pid, 'SIGCONT'),
    copy() {
      // Redis writes a command to the file before it replies. If the copy cuts the last command short, Redis drops it.
      const path = mkdtempSync(join(folder, 'copy-'))
      cpSync(written, path, { recursive: true })
      return { path }
    },
    async restart(data) {
      await kill()
      if (data !== 'kept') rmSync(written, { recursive: true, force: true })
      if (typeof data === 'object') cpSync(data.path, written, { recursive: true })
      server = await startRedis({ folder, port, settings: more })
      dismiss = endWithThisProcess(server.pid, folder)
    },
  }
}

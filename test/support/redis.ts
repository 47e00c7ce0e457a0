import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, inject } from 'vitest'
import type { Server } from '../../embedded/postgres.ts'
import { stopProcess } from '../../embedded/processes.ts'
import { startRedis } from '../../embedded/redis.ts'
import { endWithThisProcess } from './watchdog.ts'

export interface TestRedis {
  readonly url: string
  /** Ends the server without a word, as a crash does. Its append-only file stays. */
  kill(): Promise<void>
  /** It takes commands and answers none, until `resume`. */
  hang(): void
  resume(): void
  /** Starts it again on the same port, with what it had written, or with nothing. */
  restart(data: 'kept' | 'lost'): Promise<void>
}

/** A Redis server of the test file's own, so that a flush, a kill or a slow script is nobody else's trouble. */
export async function testRedis(): Promise<TestRedis> {
  const folder = mkdtempSync(join(inject('temporaryFolder'), 'redis-'))
  let server: Server = await startRedis({ folder })
  const port = Number(new URL(server.url).port)
  let dismiss = endWithThisProcess(server.pid, folder)
  const kill = async () => {
    await stopProcess(server.pid, 'SIGKILL', 0)
    dismiss()
  }
  afterAll(async () => {
    await kill()
    rmSync(folder, { recursive: true, force: true })
  })
  return {
    url: server.url,
    kill,
    hang: () => void process.kill(server.pid, 'SIGSTOP'),
    resume: () => void process.kill(server.pid, 'SIGCONT'),
    async restart(data) {
      await kill()
      if (data === 'lost') rmSync(join(folder, 'appendonlydir'), { recursive: true, force: true })
      server = await startRedis({ folder, port })
      dismiss = endWithThisProcess(server.pid, folder)
    },
  }
}

import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, inject } from 'vitest'
import type { Server } from '../../embedded/postgres.ts'
import { startRedis } from '../../embedded/redis.ts'

export interface TestRedis {
  readonly url: string
  /** Ends the server without a word, as a crash does. Its append-only file stays. */
  kill(): Promise<void>
  /** Starts it again on the same port, with what it had written, or with nothing. */
  restart(data: 'kept' | 'lost'): Promise<void>
}

/** A Redis server of the test file's own, so that a flush, a kill or a slow script is nobody else's trouble. */
export async function testRedis(): Promise<TestRedis> {
  const folder = mkdtempSync(join(inject('temporaryFolder'), 'redis-'))
  let server: Server = await startRedis({ folder })
  const port = Number(new URL(server.url).port)
  // A worker that ends before afterAll must not leave it behind.
  const killNow = () => {
    try {
      process.kill(server.pid, 'SIGKILL')
    } catch {
      // Already gone.
    }
  }
  process.once('exit', killNow)
  const kill = async () => {
    killNow()
    await server.exited
  }
  afterAll(async () => {
    await kill()
    process.removeListener('exit', killNow)
    rmSync(folder, { recursive: true, force: true })
  })
  return {
    url: server.url,
    kill,
    async restart(data) {
      await kill()
      if (data === 'lost') rmSync(join(folder, 'appendonlydir'), { recursive: true, force: true })
      server = await startRedis({ folder, port })
    },
  }
}

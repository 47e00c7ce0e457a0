import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inject } from 'vitest'
import { type App, createApp } from '../../src/app.ts'
import { readEnv } from '../../src/env.ts'
import { makeKeys } from '../../src/keys.ts'
import { cleanUp } from './cleanUp.ts'
import { whenReady } from './room.ts'

export interface Stores {
  databaseUrl: string
  redisUrl: string
  /** Default: the same. */
  roomDatabaseUrl?: string
  roomRedisUrl?: string
}

/**
 * Returns a function that starts the app of an API process. Each app has connections and a memory of its own; all have the same
 * keys. The test file's end closes them; `close()` stands for the end of a process.
 */
export async function testApps(stores: Stores): Promise<() => Promise<App>> {
  const keysFile = join(inject('temporaryFolder'), `${randomUUID()}.keys.json`)
  writeFileSync(keysFile, JSON.stringify(await makeKeys()))
  const running = new Set<App>()
  cleanUp(() => Promise.all(Array.from(running, (app) => app.close())))
  return async () => {
    const app = await createApp(
      readEnv({
        EMBEDDED: 'true',
        DATABASE_URL: stores.databaseUrl,
        REDIS_URL: stores.redisUrl,
        QUEUE_DATABASE_URL: stores.roomDatabaseUrl,
        QUEUE_REDIS_URL: stores.roomRedisUrl,
        KEYS_FILE: keysFile,
        LOG_LEVEL: 'silent',
      }),
    )
    running.add(app)
    const connections = [app.redis, app.roomRedis]
    await Promise.all(connections.map(whenReady))
    return {
      ...app,
      async close() {
        if (running.delete(app)) await app.close()
      },
    }
  }
}

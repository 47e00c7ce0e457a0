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
 * Starts what an API process is made of, each time with connections and a memory of its own, all with the same keys;
 * closed after the file. What stands in for its end is `close()`.
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

import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inject } from 'vitest'
import { type App, createApp } from '../../src/app.ts'
import { readEnv } from '../../src/env.ts'
import { makeKeys } from '../../src/keys.ts'
import { createServer, type Server } from '../../src/server/index.ts'
import { cleanUp } from './cleanUp.ts'
import { type TestClient, testClient } from './client.ts'
import { type TestDatabase, testDatabase } from './database.ts'
import { type TestRedis, testRedis } from './redis.ts'

export type { Json } from './client.ts'

export interface TestServer extends TestClient {
  readonly url: string
  readonly app: App
  readonly server: Server
  readonly db: TestDatabase
  readonly redis: TestRedis
}

/** A whole API process on a free port, with a database and a Redis of the test file's own. */
export async function testServer(variables: Record<string, string> = {}): Promise<TestServer> {
  const db = await testDatabase()
  const redis = await testRedis()
  const keysFile = join(inject('temporaryFolder'), `${randomUUID()}.keys.json`)
  writeFileSync(keysFile, JSON.stringify(await makeKeys()))
  const app = await createApp(
    readEnv({
      EMBEDDED: 'true',
      DATABASE_URL: db.url,
      REDIS_URL: redis.url,
      KEYS_FILE: keysFile,
      LOG_LEVEL: 'silent',
      PORT: '0',
      ...variables,
    }),
  )
  const server = createServer(app)
  const { url } = await server.listen()
  cleanUp(async () => {
    await server.close(1_000)
    await app.close()
  })
  // Its sockets are closed before the server is.
  return { url, app, server, db, redis, ...testClient(url) }
}

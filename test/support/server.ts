import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClient } from 'graphql-ws'
import { afterAll, inject } from 'vitest'
import { WebSocket } from 'ws'
import { type App, createApp } from '../../src/app.ts'
import { readEnv } from '../../src/env.ts'
import { makeKeys } from '../../src/keys.ts'
import { createServer, type Server } from '../../src/server/index.ts'
import { type TestDatabase, testDatabase } from './database.ts'
import { type TestRedis, testRedis } from './redis.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
export type Json = any

export interface Answer<Data = Json> {
  readonly status: number
  readonly headers: Headers
  readonly data: Data
  readonly errors?: { message: string; path?: (string | number)[]; extensions: Record<string, Json> }[]
}

export interface AskOptions {
  token?: string
  device?: string
  admission?: string
  /** Default: application/graphql-response+json */
  accept?: string
}

export interface TestServer {
  readonly url: string
  readonly app: App
  readonly server: Server
  readonly db: TestDatabase
  readonly redis: TestRedis
  /** One operation over HTTP. */
  ask<Data = Json>(query: string, variables?: object, options?: AskOptions): Promise<Answer<Data>>
  /** A token of an account; each call without a name makes a new account. */
  token(account?: string, more?: object): Promise<string>
  /** Subscriptions over one socket, closed after the file. */
  socket(connectionParams?: object): ReturnType<typeof createClient>
}

/** The API process, whole, on a free port, over a database and a Redis of the test file's own. */
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
  const sockets: ReturnType<typeof createClient>[] = []
  afterAll(async () => {
    for (const socket of sockets) await socket.dispose()
    await server.close(1_000)
    await app.close()
  })

  return {
    url,
    app,
    server,
    db,
    redis,
    async ask(query, values = {}, { token, device, admission, accept } = {}) {
      const response = await fetch(`${url}/graphql`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: accept ?? 'application/graphql-response+json',
          ...(token && { authorization: `Bearer ${token}` }),
          ...(device && { 'device-id': device }),
          ...(admission && { 'admission-token': admission }),
        },
        body: JSON.stringify({ query, variables: values }),
      })
      return { status: response.status, headers: response.headers, ...((await response.json()) as Json) }
    },
    async token(account = `fan-${randomUUID()}`, more = {}) {
      const response = await fetch(`${url}/dev/token`, {
        method: 'POST',
        body: JSON.stringify({ account, ...more }),
      })
      return ((await response.json()) as { token: string }).token
    },
    socket(connectionParams = {}) {
      const client = createClient({
        url: `${url.replace('http', 'ws')}/graphql`,
        webSocketImpl: WebSocket,
        connectionParams: connectionParams as Record<string, unknown>,
        retryAttempts: 0,
        lazy: true,
      })
      sockets.push(client)
      return client
    },
  }
}

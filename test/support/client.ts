import { randomUUID } from 'node:crypto'
import { createClient } from 'graphql-ws'
import { WebSocket } from 'ws'
import { cleanUp } from './cleanUp.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
export type Json = any

interface Answer<Data = Json> {
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
  headers?: Record<string, string>
}

export interface TestClient {
  /** Sends one operation over HTTP. */
  ask<Data = Json>(query: string, variables?: object, options?: AskOptions): Promise<Answer<Data>>
  /** Returns a token of an account. Each call without a name makes a new account. */
  token(account?: string, more?: object): Promise<string>
  /** Opens one socket for subscriptions, closed at clean-up. */
  socket(connectionParams?: object, headers?: Record<string, string>): ReturnType<typeof createClient>
}

/** A client of the API process at an address. */
export function testClient(url: string): TestClient {
  const sockets: ReturnType<typeof createClient>[] = []
  cleanUp(async () => {
    for (const socket of sockets) await socket.dispose()
  })
  return {
    async ask(query, values = {}, { token, device, admission, accept, headers } = {}) {
      const response = await fetch(`${url}/graphql`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: accept ?? 'application/graphql-response+json',
          ...headers,
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
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ account, ...more }),
      })
      return ((await response.json()) as { token: string }).token
    },
    socket(connectionParams = {}, headers = {}) {
      const webSocketImpl = class extends WebSocket {
        constructor(address: string, protocols: string) {
          super(address, protocols, { headers })
        }
      }
      const client = createClient({
        url: `${url.replace('http', 'ws')}/graphql`,
        webSocketImpl,
        connectionParams: connectionParams as Record<string, unknown>,
        retryAttempts: 0,
        lazy: true,
      })
      sockets.push(client)
      return client
    },
  }
}

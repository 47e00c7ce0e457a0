import type { IncomingMessage, ServerResponse } from 'node:http'
import type { App } from '../app.ts'
import { readBody } from './bodies.ts'
import { contextOf, credentialsOfHeaders } from './callers.ts'
import type { Graphql } from './graphql.ts'
import type { Identities } from './identity.ts'

/** Bytes of a request's body: any operation fits, and for an organizer a plan of 150,000 seats. */
const BODY_LIMIT = 256 * 1_024
const ORGANIZERS_BODY_LIMIT = 32 * 1_024 * 1_024

export interface GraphqlHttpDeps {
  app: App
  graphql: Graphql
  identities: Identities
}

/** Serves GraphQL over HTTP: POST, GET for queries, and server-sent events for subscriptions. */
export function createGraphqlHttp({ app, graphql, identities }: GraphqlHttpDeps) {
  return async (request: IncomingMessage, response: ServerResponse, requestId: string): Promise<void> => {
    const { method = 'GET' } = request
    const credentials = credentialsOfHeaders(request.headers)
    const identity = await identities.identify(credentials.authorization)
    const limit = identity.account?.roles.has('organizer') ? ORGANIZERS_BODY_LIMIT : BODY_LIMIT
    const body = method === 'POST' ? (await readBody(request, limit)).toString() : undefined
    const context = contextOf({ app, requestId, identity, credentials, isRepeatable: method !== 'POST' })
    const headers = request.headers as Record<string, string>
    // Only path and query are read of it: nothing depends on the Host that a client claims.
    const url = `http://localhost${request.url}`
    const { Request } = graphql.fetchAPI
    await send(await graphql.fetch(new Request(url, { method, headers, body }), context), response)
  }
}

async function send(from: Response, to: ServerResponse): Promise<void> {
  // Answers are one caller's, and some of them are keys.
  to.setHeader('cache-control', 'no-store')
  from.headers.forEach((value, name) => {
    to.setHeader(name, value)
  })
  to.statusCode = from.status
  if (from.headers.get('content-type')?.startsWith('text/event-stream') && from.body)
    await stream(from.body, to)
  else to.end(await from.text())
}

/** At the client's pace; a client that is gone ends its subscription at once. */
async function stream(body: ReadableStream<Uint8Array>, to: ServerResponse): Promise<void> {
  const reader = body.getReader()
  to.once('close', () => reader.cancel().catch(() => {}))
  // A proxy that gathers would hold back what is sent every second.
  to.setHeader('x-accel-buffering', 'no')
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    if (!to.write(value)) await new Promise((resolve) => to.once('drain', resolve).once('close', resolve))
  }
  to.end()
}

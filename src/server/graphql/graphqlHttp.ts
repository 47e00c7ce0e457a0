import type { IncomingMessage, ServerResponse } from 'node:http'
import type { App } from '../../app.ts'
import { andThen, type MaybePromise } from '../../async/maybePromise.ts'
import type { Context } from '../../resolvers/context.ts'
import { badInput } from '../../sale/faults.ts'
import type { Identities, Identity } from '../auth/identity.ts'
import { BadRequest, readBody } from '../http/bodies.ts'
import { clientAddress } from '../http/clientAddress.ts'
import { type Answer, createFastPost } from './fastPost.ts'
import type { Graphql } from './graphql.ts'
import type { Outcomes } from './outcomes.ts'
import type { Priority } from './priority.ts'
import { contextOf, credentialsOfHeaders } from './requestContext.ts'

/** Bytes of a request's body: any operation fits, and for an organizer a plan of 150,000 seats. */
const BODY_LIMIT = 256 * 1_024
const ORGANIZERS_BODY_LIMIT = 32 * 1_024 * 1_024

export interface GraphqlHttpDeps {
  app: App
  graphql: Graphql
  identities: Identities
  outcomes: Outcomes
  priority: Priority
}

/** Serves GraphQL over HTTP: POST, GET for queries, and server-sent events for subscriptions. */
export function createGraphqlHttp({ app, graphql, identities, outcomes, priority }: GraphqlHttpDeps) {
  const posted = createFastPost({ graphql, outcomes })

  return async (request: IncomingMessage, response: ServerResponse, requestId: string): Promise<void> => {
    const { method = 'GET', url: target = '/' } = request
    const contentType = method === 'POST' ? contentTypeOf(request) : undefined
    const parameters = method === 'POST' ? null : parametersOf(target)
    const credentials = credentialsOfHeaders(request.headers)
    const identify = () => identities.identify(credentials.authorization)
    // Whoever sends much is asked for a name before it is read; everybody else when it is their turn.
    const sender = method === 'POST' && !isShort(request) ? await identify() : null
    const limit = sender?.account?.roles.has('organizer') ? ORGANIZERS_BODY_LIMIT : BODY_LIMIT
    const body = method === 'POST' ? (await readBody(request, limit)).toString() : undefined
    const params = body !== undefined && contentType === 'application/json' ? posted.read(body) : null
    const asked = params ?? {
      query: parameters?.get('query') ?? '',
      operationName: parameters?.get('operationName'),
    }

    const answer = await priority.run(posted.classOf(asked), () => {
      // Whoever has gone while waiting asks again, and would be served twice.
      if (response.destroyed) return null
      return andThen<Identity, Answer | Response>(sender ?? identify(), (identity) => {
        const context = contextOf({
          app,
          requestId,
          identity,
          credentials,
          addressOf: () => clientAddress(request, app.env.trustedProxies),
          isRepeatable: method !== 'POST',
        })
        const short = params && posted.answer(params, request.headers.accept, context)
        return andThen(short, (answer) => answer ?? longWay(context))
      })
    })

    function longWay(context: Context): MaybePromise<Response> {
      const headers = { ...request.headers, ...(contentType && { 'content-type': contentType }) }
      // Only path and query are read of it: nothing depends on the Host that a client claims.
      const url = `http://localhost${target}`
      const { Request } = graphql.fetchAPI
      return graphql.fetch(
        new Request(url, { method, headers: headers as Record<string, string>, body }),
        context,
      )
    }
    if (answer === null) return
    if ('text' in answer) await send(answer, response)
    else sendAnswer(answer, response)
  }
}

/** Any operation of a fan's is; what says nothing of its length may be anything. */
function isShort({ headers }: IncomingMessage): boolean {
  return Number(headers['content-length'] ?? Number.POSITIVE_INFINITY) <= BODY_LIMIT
}

/**
 * What GraphQL is sent in. No form is among them, nor plain text: any page may have a browser send those, and nobody asks
 * it whether the page may.
 */
const CONTENT_TYPES = ['application/json', 'application/graphql+json', 'application/graphql']

/** As Yoga knows it, which takes the case of letters for a difference. */
function contentTypeOf({ headers }: IncomingMessage): string {
  const type = headers['content-type']?.split(/[;,]/)[0]?.trim().toLowerCase() ?? ''
  if (!CONTENT_TYPES.includes(type))
    throw new BadRequest(415, 'Send the operation as JSON, with the content-type application/json.')
  return type
}

function parametersOf(target: string): URLSearchParams {
  const parameters = new URLSearchParams(target.slice(target.indexOf('?') + 1))
  for (const name of ['variables', 'extensions'])
    if (!isJson(parameters.get(name) || 'null')) throw badInput({ path: [name], message: 'is not JSON' })
  return parameters
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Answers are one caller's, and some of them are keys. */
const CACHE = 'no-store'

function sendAnswer({ status, headers, body }: Answer, to: ServerResponse): void {
  const head = ['cache-control', CACHE, 'content-length', String(Buffer.byteLength(body))]
  for (const name in headers) head.push(name, headers[name] as string)
  to.writeHead(status, head)
  to.end(body)
}

async function send(from: Response, to: ServerResponse): Promise<void> {
  to.setHeader('cache-control', CACHE)
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

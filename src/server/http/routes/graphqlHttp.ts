import type { IncomingMessage, ServerResponse } from 'node:http'
import type { App } from '../../../app.ts'
import { andThen, type MaybePromise } from '../../../async/maybePromise.ts'
import type { Context } from '../../../resolvers/request/context.ts'
import { badInput, overloaded } from '../../../sale/faults.ts'
import type { Identities, Identity } from '../../auth/identity.ts'
import { type Answer, createFastPost } from '../../graphql/fastPost.ts'
import type { OperationParams, Pipeline } from '../../graphql/lanes.ts'
import type { Outcomes } from '../../graphql/outcomes.ts'
import type { Priority } from '../../graphql/priority.ts'
import { contextOf, credentialsOfHeaders } from '../../graphql/requestContext.ts'
import type { YogaLane } from '../../graphql/yoga.ts'
import { BadRequest, readBody } from '../bodies.ts'
import { boundedAddress, clientAddress } from '../clientAddress.ts'
import type { AccountShares } from '../limits/accountShares.ts'
import { BODY_BUDGET, type BodyBudget } from '../limits/bodyBudget.ts'
import type { Connections } from '../limits/connections.ts'
import type { EventStreams } from '../limits/eventStreams.ts'
import { createLongBodies } from '../limits/longBodies.ts'
import { NO_STORE } from '../responses.ts'

const UTF8 = new TextDecoder()

/** The largest body in bytes: every operation fits. An organizer's plan of 150,000 seats needs the second limit. */
const BODY_LIMIT = 256 * 1_024
const ORGANIZERS_BODY_LIMIT = 32 * 1_024 * 1_024

export interface GraphqlHttpDeps {
  app: App
  pipeline: Pipeline
  yoga: YogaLane
  identities: Identities
  outcomes: Outcomes
  priority: Priority
  accountShares: AccountShares
  connections: Pick<Connections, 'of' | 'isUnread'>
  eventStreams: EventStreams
  bodyBudget: BodyBudget
}

/** Serves GraphQL over HTTP by two lanes: POST, GET for queries, and server-sent events for subscriptions. */
export function createGraphqlHttp(deps: GraphqlHttpDeps) {
  const { app, pipeline, yoga, identities, outcomes, priority, accountShares } = deps
  const { connections, eventStreams, bodyBudget } = deps
  const fastPost = createFastPost(pipeline, outcomes)
  const longBodies = createLongBodies()

  const boundedAddressOf = (request: IncomingMessage) =>
    boundedAddress(clientAddress(request, app.env.trustedProxies), app.env.trustedProxies)

  /** Counts the bytes of a body until the request is answered. */
  function budgetOf(request: IncomingMessage, response: ServerResponse, organizer: string | null) {
    const lease =
      organizer === null
        ? bodyBudget.begin('others', clientAddress(request, app.env.trustedProxies) ?? '')
        : bodyBudget.begin('organizers', organizer)
    response.once('close', lease.end)
    return lease.take
  }

  return async (request: IncomingMessage, response: ServerResponse, requestId: string): Promise<void> => {
    const { method = 'GET', url: target = '/' } = request
    const contentType = method === 'POST' ? contentTypeOf(request) : undefined
    const parameters = method === 'POST' ? null : parametersOf(target)
    const credentials = credentialsOfHeaders(request.headers)
    const identify = () => identities.identify(credentials.authorization)
    // The sender of a long body is identified before the body is read; every other caller when a slot is free.
    const sender = method === 'POST' && lengthOf(request) > BODY_LIMIT ? await identify() : null
    const organizer = sender?.account?.roles.has('organizer') ? sender.account.id : null
    const count =
      method === 'POST' && lengthOf(request) > BODY_BUDGET.freeBytes
        ? budgetOf(request, response, organizer)
        : undefined
    const limit = organizer === null ? BODY_LIMIT : ORGANIZERS_BODY_LIMIT
    const bytes =
      method === 'POST'
        ? await readBody(request, limit, count && ((chunk) => count(chunk.length)))
        : undefined
    const answer =
      organizer !== null && bytes !== undefined && bytes.length > BODY_LIMIT
        ? await longBodies.run(organizer, () => serveLong(bytes))
        : await serveShort(bytes)
    if (answer === null) return
    if ('text' in answer) await send(answer, response)
    else sendAnswer(answer, response)

    function serveShort(bytes: Buffer | undefined) {
      // TextDecoder drops a byte order mark, which JSON.parse refuses.
      const body = bytes && UTF8.decode(bytes)
      const params = body !== undefined && contentType === 'application/json' ? fastPost.read(body) : null
      return serve(params, body)
    }

    /** Only the thread parses the body: a refused operation gets its answer without its variables. */
    async function serveLong(bytes: Buffer) {
      if (response.destroyed) return null
      if (contentType !== 'application/json' || !fastPost.isAccepted(request.headers.accept))
        throw new BadRequest(415, `A body of more than ${BODY_LIMIT} bytes must be JSON, as must its answer.`)
      const parsed = await app.eventThread.parseBody(bytes)
      if ('fault' in parsed) throw new BadRequest(400, `The body ${parsed.fault}.`)
      const params = fastPost.readParsed(parsed.value)
      if (params === null) throw new BadRequest(400, 'The body is no request.')
      return serve(params, JSON.stringify({ ...params, variables: {} }))
    }

    /**
     * Null where the client has left.
     *
     * @param body for the lane of Yoga
     */
    async function serve(
      params: OperationParams | null,
      body: string | undefined,
    ): Promise<Answer | Response | null> {
      if (response.destroyed) return null
      const operation = pipeline.parse(
        params ?? {
          query: parameters?.get('query'),
          operationName: parameters?.get('operationName'),
          variables: JSON.parse(parameters?.get('variables') || 'null'),
          extensions: JSON.parse(parameters?.get('extensions') || 'null'),
        },
        () => boundedAddressOf(request),
      )

      function begin() {
        // A client that left while it waited will retry; serving it now would serve it twice.
        if (response.destroyed) return null
        if (connections.isUnread(connections.of(request))) throw overloaded(1)
        return andThen<Identity, Answer | Response>(sender ?? identify(), (identity) =>
          accountShares.run(operation.class, identity.account?.id ?? null, () => answerTo(identity)),
        )
      }

      return priority.run(operation.class, begin, operation.eventId)

      function answerTo(identity: Identity): MaybePromise<Answer | Response> {
        if (operation.type === 'subscription')
          eventStreams.begin(response, boundedAddressOf(request), identity.account?.id ?? null)
        const context = contextOf({
          app,
          requestId,
          identity,
          credentials,
          addressOf: () => clientAddress(request, app.env.trustedProxies),
          isRepeatable: method !== 'POST',
        })
        const fast = params && fastPost.answer(operation, request.headers.accept, context)
        return andThen(fast, (answer): MaybePromise<Answer | Response> => answer ?? answerByYoga(context))
      }

      async function answerByYoga(context: Context): Promise<Response> {
        const headers = { ...request.headers, ...(contentType && { 'content-type': contentType }) }
        // Yoga reads only the path and the query. Nothing depends on the client's Host header.
        const url = `http://localhost${target}`
        const found = await yoga.fetch(
          url,
          { method, headers: headers as Record<string, string>, body },
          context,
        )
        if (response.closed) found.end()
        else response.once('close', found.end)
        return found.response
      }
    }
  }
}

/** Infinity for a body without a content-length. */
function lengthOf({ headers }: IncomingMessage): number {
  return Number(headers['content-length'] ?? Number.POSITIVE_INFINITY)
}

/**
 * The media types of operations. Forms and plain text are not among them: a browser sends those for a page of any origin
 * without a preflight request.
 */
const CONTENT_TYPES = ['application/json', 'application/graphql+json', 'application/graphql']

/** In lower case, since Yoga compares case-sensitively. Throws BadRequest (415) for other types. */
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

function sendAnswer({ status, headers, body }: Answer, to: ServerResponse): void {
  const head = ['cache-control', NO_STORE['cache-control'], 'content-length', String(Buffer.byteLength(body))]
  for (const name in headers) head.push(name, headers[name] as string)
  to.writeHead(status, head)
  to.end(body)
}

async function send(from: Response, to: ServerResponse): Promise<void> {
  // The client has left. Without this, an event stream would send its pings for ever.
  if (to.closed) return from.body?.cancel()
  from.headers.forEach((value, name) => {
    to.setHeader(name, value)
  })
  to.setHeader('cache-control', NO_STORE['cache-control'])
  to.statusCode = from.status
  if (from.headers.get('content-type')?.startsWith('text/event-stream') && from.body)
    await stream(from.body, to)
  else to.end(await from.text())
}

/** Writes at the client's pace. A client that disconnects ends its subscription at once. */
async function stream(body: ReadableStream<Uint8Array>, to: ServerResponse): Promise<void> {
  const reader = body.getReader()
  to.once('close', () => reader.cancel().catch(() => {}))
  // A buffering proxy would hold back events.
  to.setHeader('x-accel-buffering', 'no')
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    if (!to.write(value)) await new Promise((resolve) => to.once('drain', resolve).once('close', resolve))
  }
  to.end()
}

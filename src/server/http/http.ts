import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import findMyWay from 'find-my-way'
import type { App } from '../../app.ts'
import { createBoundedCache } from '../../async/boundedCache.ts'
import { publicKeys } from '../../keys.ts'
import { overloaded } from '../../sale/faults.ts'
import type { Identities } from '../auth/identity.ts'
import { GRAPHQL_PATH, type Graphql } from '../graphql/graphql.ts'
import { createGraphqlHttp } from '../graphql/graphqlHttp.ts'
import type { Outcomes } from '../graphql/outcomes.ts'
import type { Priority } from '../graphql/priority.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { BadRequest } from './bodies.ts'
import { sendDevToken } from './devToken.ts'
import { readReadiness } from './health.ts'
import { Reply } from './identifiedResponse.ts'
import { createPages } from './pages.ts'
import { createPublicState, sendLayout } from './publicState.ts'
import { newRequestId } from './requestId.ts'
import { FOR_EVERYBODY, sendError, sendJson } from './responses.ts'

export interface HttpDeps {
  app: App
  graphql: Graphql
  identities: Identities
  outcomes: Outcomes
  metrics: Metrics
  priority: Priority
  traffic: {
    /** Load balancers are told to look elsewhere. */
    isDraining(): boolean
    /** Nothing new is begun. */
    isClosing(): boolean
    /** A request is under way, until its end. */
    begin(response: ServerResponse): void
    end(response: ServerResponse): void
  }
}

type Handle = (request: IncomingMessage, response: ServerResponse, at: Route) => Promise<void> | void

interface Route {
  readonly requestId: string
  readonly params: Readonly<Record<string, string>>
}

/** Longer than load balancers keep their connections, so that it is never us who closes one that they are using. */
const KEEP_ALIVE_MS = 75_000
/**
 * What is asked for again and again is found by its address as it stands: the router takes 1.5 µs to read it, of the 30 that a
 * small answer costs.
 */
interface Found {
  readonly method: string
  readonly handle: (request: IncomingMessage, response: ServerResponse) => void
}
const KEPT_FOUND = 2_000
const LONGEST_FOUND = 200

const METHODS = ['GET', 'POST', 'HEAD'] as const

/** The routes of the API process, and what is said where there is none. */
export function createHttp(deps: HttpDeps): Server {
  const { app, identities, outcomes, metrics, traffic } = deps
  const router = findMyWay({
    ignoreTrailingSlash: true,
    maxParamLength: 200,
    defaultRoute: (request, response) => answer(request, response, 'none', {}, nowhere),
    onBadUrl: (_path, request, response) =>
      answer(request, response, 'none', {}, () =>
        sendError(response, 400, 'The address is not well-formed.'),
      ),
  })
  const found = createBoundedCache<string, Found>(KEPT_FOUND / 2)
  const graphqlHttp = createGraphqlHttp(deps)
  const publicState = createPublicState(app)
  const pages = createPages(app)

  function route(methods: readonly (typeof METHODS)[number][], path: string, handle: Handle) {
    router.on([...methods], path, (request, response, params) => {
      const again: Found['handle'] = (request, response) =>
        answer(request, response, path, params as Record<string, string>, handle)
      const { url = '/', method = 'GET' } = request
      if (url.length <= LONGEST_FOUND) found.set(url, { method, handle: again })
      again(request, response)
    })
  }

  function answer(
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
    params: Record<string, string>,
    handle: Handle,
  ) {
    const startedAt = performance.now()
    const requestId = requestIdOf(request)
    ;(response as Reply).requestId = requestId
    traffic.begin(response)
    if (traffic.isDraining()) response.setHeader('connection', 'close')
    // It comes once.
    response.on('close', () => {
      traffic.end(response)
      const seconds = (performance.now() - startedAt) / 1_000
      metrics.request(path, response.statusCode, seconds)
      if (app.log.isLevelEnabled('debug'))
        app.log.debug(
          { requestId, method: request.method, path, status: response.statusCode, seconds },
          'request',
        )
    })
    try {
      handle(request, response, { requestId, params })?.catch((error) => fail(response, error, requestId))
    } catch (error) {
      fail(response, error, requestId)
    }
  }

  function fail(response: ServerResponse, error: unknown, requestId: string) {
    if (response.headersSent || response.destroyed) return void response.destroy()
    if (error instanceof BadRequest) {
      // What is left of the body is not read.
      response.setHeader('connection', 'close')
      return sendError(response, error.status, error.message)
    }
    const { message, extensions } = outcomes.present(error, requestId)
    const { http, ...shown } = extensions as { http: { status: number; headers?: Record<string, string> } }
    sendJson(response, http.status, { errors: [{ message, extensions: shown }] }, http.headers)
  }

  route(['GET', 'POST'], GRAPHQL_PATH, (request, response, { requestId }) => {
    if (traffic.isClosing()) throw overloaded(1)
    return graphqlHttp(request, response, requestId)
  })
  route(['GET', 'HEAD'], '/events/:id/waiting-room.json', (request, response, { params: { id = '' } }) =>
    publicState(request, response, id),
  )
  route(
    ['GET', 'HEAD'],
    '/events/:id/layouts/:file',
    (request, response, { params: { id = '', file = '' } }) => sendLayout(app, request, response, id, file),
  )
  route(['GET', 'HEAD'], '/.well-known/jwks.json', (_request, response) =>
    sendJson(response, 200, publicKeys(app.keys.barcodes), {
      ...FOR_EVERYBODY,
      'cache-control': 'public, max-age=300, stale-if-error=86400',
    }),
  )
  route(['GET', 'HEAD'], '/healthz', (_request, response) => sendJson(response, 200, { alive: true }))
  route(['GET', 'HEAD'], '/readyz', async (_request, response) => {
    const readiness = await readReadiness(app, traffic.isDraining())
    sendJson(response, readiness.ready ? 200 : 503, readiness, { 'cache-control': 'no-store' })
  })
  route(['GET'], '/metrics', async (_request, response) => {
    const { contentType, text } = await metrics.read()
    response.writeHead(200, { 'content-type': contentType }).end(text)
  })
  route(['GET', 'HEAD'], '/e/:slug', (request, response, { params: { slug = '' } }) =>
    pages.sendPage(request, response, slug),
  )
  route(['GET', 'HEAD'], '/assets/*', (request, response) => pages.sendAsset(request, response))
  if (app.env.embedded) {
    route(['POST'], '/dev/token', (request, response) => sendDevToken(identities, request, response))
    for (const path of ['/', '/e'])
      route(['GET', 'HEAD'], path, (_request, response) => pages.sendHome(response))
  }

  const options = {
    requestTimeout: 30_000,
    keepAliveTimeout: KEEP_ALIVE_MS,
    shouldUpgradeCallback: asksForSocket,
    ServerResponse: Reply,
  }
  return createServer(options, (request, response) => {
    const target = originForm(request.url)
    request.url = target
    const known = found.get(target)
    if (known && known.method === request.method) return known.handle(request, response)
    router.lookup(request, response)
  })

  function nowhere(request: IncomingMessage, response: ServerResponse) {
    const path = request.url ?? '/'
    const allowed = METHODS.filter((method) => router.find(method, path) !== null)
    if (allowed.length === 0) return sendError(response, 404, 'There is nothing at this address.')
    response.setHeader('allow', allowed.join(', '))
    sendError(response, 405, `This address takes ${allowed.join(' and ')}.`)
  }
}

/** Clients that would like to speak HTTP/2 (Java's, `curl --http2`) offer that with each request: it is served as it came. */
function asksForSocket({ headers: { upgrade } }: IncomingMessage): boolean {
  return upgrade?.toLowerCase() === 'websocket'
}

/** What proxies are asked is an address in full; whichever host it names, it is this one that is asked. */
function originForm(target = '/'): string {
  if (target.startsWith('/') || !/^https?:/i.test(target)) return target
  const url = URL.parse(target)
  return url ? `${url.pathname}${url.search}` : target
}

/** The proxy's id for the request where it sends one, so that its log and ours can be laid side by side. */
function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers['x-request-id']
  return typeof given === 'string' && /^[\w.:-]{1,100}$/.test(given) ? given : newRequestId()
}

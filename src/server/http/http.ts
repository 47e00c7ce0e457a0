import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import findMyWay from 'find-my-way'
import type { App } from '../../app.ts'
import { createBoundedCache } from '../../async/boundedCache.ts'
import { publicKeys } from '../../keys.ts'
import { overloaded } from '../../sale/faults.ts'
import type { Identities } from '../auth/identity.ts'
import { GRAPHQL_PATH, type Pipeline } from '../graphql/lanes.ts'
import type { Outcomes } from '../graphql/outcomes.ts'
import type { Priority } from '../graphql/priority.ts'
import type { YogaLane } from '../graphql/yoga.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { BadRequest } from './bodies.ts'
import { sendDevToken } from './devToken.ts'
import { createGraphqlHttp } from './graphqlHttp.ts'
import { readReadiness } from './health.ts'
import { IdentifiedResponse } from './identifiedResponse.ts'
import { createLayouts } from './layouts.ts'
import { createPages } from './pages.ts'
import { createPublicState } from './publicState.ts'
import { newRequestId } from './requestId.ts'
import { NO_STORE, PUBLIC_HEADERS, sendError, sendJson } from './responses.ts'

export interface HttpDeps {
  app: App
  pipeline: Pipeline
  yoga: YogaLane
  identities: Identities
  outcomes: Outcomes
  metrics: Metrics
  priority: Priority
  traffic: {
    /** /readyz reports that the process is not ready. */
    isDraining(): boolean
    /** No operation begins any more. */
    isClosing(): boolean
    /** The request is under way until `end`. */
    begin(response: ServerResponse): void
    end(response: ServerResponse): void
  }
}

type Handle = (request: IncomingMessage, response: ServerResponse, at: Route) => Promise<void> | void

interface Route {
  readonly requestId: string
  readonly params: Readonly<Record<string, string>>
}

/** Longer than load balancers keep connections: the server must never close a connection that is in use. */
const KEEP_ALIVE_MS = 75_000
/** The route of an address that was requested before, which the router need not parse again (bench/waiting-room-json.ts). */
interface KnownRoute {
  readonly method: string
  readonly handle: (request: IncomingMessage, response: ServerResponse) => void
}
const KEPT_ROUTES = 2_000
const LONGEST_KEPT_ADDRESS = 200

const METHODS = ['GET', 'POST', 'HEAD'] as const

/** The routes of the API process. */
export function createHttp(deps: HttpDeps): Server {
  const { app, identities, outcomes, metrics, traffic } = deps
  const router = findMyWay({
    ignoreTrailingSlash: true,
    maxParamLength: 200,
    defaultRoute: (request, response) => answer(request, response, 'none', {}, sendNotFound),
    onBadUrl: (_path, request, response) =>
      answer(request, response, 'none', {}, () =>
        sendError(response, 400, 'The address is not well-formed.'),
      ),
  })
  const knownRoutes = createBoundedCache<string, KnownRoute>(KEPT_ROUTES / 2)
  const graphqlHttp = createGraphqlHttp(deps)
  const publicState = createPublicState(app)
  const layouts = createLayouts(deps)
  const pages = createPages(app)

  function route(methods: readonly (typeof METHODS)[number][], path: string, handle: Handle) {
    router.on([...methods], path, (request, response, params) => {
      const again: KnownRoute['handle'] = (request, response) =>
        answer(request, response, path, params as Record<string, string>, handle)
      const { url = '/', method = 'GET' } = request
      if (url.length <= LONGEST_KEPT_ADDRESS) knownRoutes.set(url, { method, handle: again })
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
    ;(response as IdentifiedResponse).requestId = requestId
    traffic.begin(response)
    if (traffic.isDraining()) response.setHeader('connection', 'close')
    // It is emitted once.
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
      // The rest of the body is not read.
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
    (request, response, { params: { id = '', file = '' } }) => layouts.send(request, response, id, file),
  )
  route(['GET', 'HEAD'], '/.well-known/jwks.json', (_request, response) =>
    sendJson(response, 200, publicKeys(app.keys.barcodes), {
      ...PUBLIC_HEADERS,
      'cache-control': 'public, max-age=300, stale-if-error=86400',
    }),
  )
  route(['GET', 'HEAD'], '/healthz', (_request, response) => sendJson(response, 200, { alive: true }))
  route(['GET', 'HEAD'], '/readyz', async (_request, response) => {
    const readiness = await readReadiness(app, traffic.isDraining())
    sendJson(response, readiness.ready ? 200 : 503, readiness, NO_STORE)
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
    ServerResponse: IdentifiedResponse,
  }
  return createServer(options, (request, response) => {
    const target = originForm(request.url)
    request.url = target
    const known = knownRoutes.get(target)
    if (known && known.method === request.method) return known.handle(request, response)
    router.lookup(request, response)
  })

  function sendNotFound(request: IncomingMessage, response: ServerResponse) {
    const path = request.url ?? '/'
    const allowed = METHODS.filter((method) => router.find(method, path) !== null)
    if (allowed.length === 0) return sendError(response, 404, 'There is nothing at this address.')
    response.setHeader('allow', allowed.join(', '))
    sendError(response, 405, `This address takes ${allowed.join(' and ')}.`)
  }
}

/** False for an offer of HTTP/2 (by Java's client, or by `curl --http2`): such a request is served as HTTP/1.1. */
function asksForSocket({ headers: { upgrade } }: IncomingMessage): boolean {
  return upgrade?.toLowerCase() === 'websocket'
}

/** The path and query of a target. Requests for proxies name a full address; its host is ignored. */
function originForm(target = '/'): string {
  if (target.startsWith('/') || !/^https?:/i.test(target)) return target
  const url = URL.parse(target)
  return url ? `${url.pathname}${url.search}` : target
}

/** The proxy's id for the request, where it sends one: its log and ours then name the same id. */
function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers['x-request-id']
  return typeof given === 'string' && /^[\w.:-]{1,100}$/.test(given) ? given : newRequestId()
}

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import findMyWay from 'find-my-way'
import type { App } from '../../app.ts'
import { createBoundedCache } from '../../async/boundedCache.ts'
import { publicKeys } from '../../keys.ts'
import { webhookPath } from '../../payments/index.ts'
import { overloaded } from '../../sale/faults.ts'
import { ticketStatusPath } from '../../sale/orders/ticketStatus.ts'
import type { Identities } from '../auth/identity.ts'
import { GRAPHQL_PATH, type Pipeline } from '../graphql/lanes.ts'
import type { Outcomes } from '../graphql/outcomes.ts'
import type { Priority } from '../graphql/priority.ts'
import type { YogaLane } from '../graphql/yoga.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { BadRequest } from './bodies.ts'
import { answerBrokenRequests, hasHost } from './brokenRequests.ts'
import { allowOrigin, sendPreflight } from './crossOrigin.ts'
import { createForwardedRequests } from './forwardedRequests.ts'
import { type IdentifiedResponse, requestIdOf, responsesWith } from './identifiedResponse.ts'
import type { AccountShares } from './limits/accountShares.ts'
import { createBodyBudget } from './limits/bodyBudget.ts'
import { createConnections } from './limits/connections.ts'
import { createEventStreams } from './limits/eventStreams.ts'
import { HTTP_LIMITS, type HttpLimits, nodeOptions } from './limits/httpLimits.ts'
import { createPipelining } from './limits/pipelining.ts'
import { boundBody } from './pieces.ts'
import { NO_STORE, PUBLIC_HEADERS, sendError, sendJson } from './responses.ts'
import { createDevMail } from './routes/devMail.ts'
import { sendDevToken } from './routes/devToken.ts'
import { createDocumentsHttp } from './routes/documentsHttp.ts'
import { asksForGraphiql, createGraphiql, GRAPHIQL_PATH } from './routes/graphiql.ts'
import { createGraphqlHttp } from './routes/graphqlHttp.ts'
import { createReadiness } from './routes/health.ts'
import { createLayouts } from './routes/layouts.ts'
import { createMetricsHttp } from './routes/metricsHttp.ts'
import { createPages } from './routes/pages.ts'
import { createPaymentPages } from './routes/paymentPages.ts'
import { createPaymentSignals } from './routes/paymentSignals.ts'
import { createPublicState } from './routes/publicState.ts'
import { createSchemaFiles } from './routes/schemaFiles.ts'
import { createTicketStatusHttp } from './routes/ticketStatusHttp.ts'
import { createWebhooks } from './routes/webhooks.ts'
import { type Policy, securityHeaders } from './securityHeaders.ts'

export interface HttpDeps {
  app: App
  pipeline: Pipeline
  yoga: YogaLane
  identities: Identities
  outcomes: Outcomes
  metrics: Metrics
  priority: Priority
  accountShares: AccountShares
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

/** The route of an address that was requested before, which the router need not parse again (bench/waiting-room-json.ts). */
interface KnownRoute {
  readonly method: string
  readonly handle: (request: IncomingMessage, response: ServerResponse) => void
}
/** 2,000 at most. */
const ROUTES_AT_LEAST = 1_000
const LONGEST_KEPT_ADDRESS = 200

/** In the metrics. */
const NO_ROUTE = 'none'

const METHODS = ['GET', 'POST', 'HEAD', 'OPTIONS'] as const

export interface HttpServer extends Server {
  /** Every route, as methods and path. */
  readonly routes: readonly string[]
  /** What is open now. `unreadBytes` leaves out the bytes that many clients share. */
  figures(): { readonly connections: number; readonly unreadBytes: number; readonly eventStreams: number }
}

/** The routes of the API process. */
export function createHttp(deps: HttpDeps, limits: HttpLimits = HTTP_LIMITS): HttpServer {
  const { app, identities, outcomes, metrics, traffic } = deps
  const security = securityHeaders(app.env.publicUrl, app.env.payments.stripe !== null)
  const router = findMyWay({
    ignoreTrailingSlash: true,
    maxParamLength: 200,
    defaultRoute: (request, response) => answer(request, response, NO_ROUTE, {}, sendNotFound),
    onBadUrl: (_path, request, response) =>
      answer(request, response, NO_ROUTE, {}, () =>
        sendError(response, 400, 'The address is not well-formed.'),
      ),
  })
  const knownRoutes = createBoundedCache<string, KnownRoute>(ROUTES_AT_LEAST)
  const { trustedProxies, connectionsPerAddress: perAddress } = app.env
  const connections = createConnections({
    limits,
    trustedProxies,
    perAddress,
    security: security.data,
    onRefused: metrics.httpRefused,
    onSlow: metrics.slowConnection,
  })
  const mayBegin = createPipelining(limits)
  const countForwarded = createForwardedRequests(trustedProxies, perAddress)
  const eventStreams = createEventStreams(() => metrics.httpRefused('stream'), limits)
  const figures = () => ({
    connections: connections.size,
    unreadBytes: connections.unreadBytes,
    eventStreams: eventStreams.size,
  })
  metrics.gauge('fairgate_http_connections', 'Open connections of HTTP.', () => figures().connections)
  metrics.gauge(
    'fairgate_http_unread_bytes',
    'Bytes of answers that clients of HTTP have not read yet.',
    () => figures().unreadBytes,
  )
  metrics.gauge(
    'fairgate_event_streams',
    'Subscriptions by server-sent events.',
    () => figures().eventStreams,
  )
  const readiness = createReadiness(app, identities)
  const bodyBudget = createBodyBudget()
  const graphqlHttp = createGraphqlHttp({ ...deps, connections, eventStreams, bodyBudget })
  const signals = createPaymentSignals(deps)
  const receiveWebhook = createWebhooks({ app, signals, bodyBudget })
  const publicState = createPublicState(deps)
  const ticketStatus = createTicketStatusHttp(deps)
  const layouts = createLayouts(deps)
  const documents = createDocumentsHttp(deps)
  const graphiql = app.env.embedded ? createGraphiql() : null
  const pages = createPages(deps)
  const schemaFiles = createSchemaFiles()
  const paymentPages = createPaymentPages({ ...deps, signals })

  const routes: string[] = []

  /** Every route is made here: test/server/http/routes.test.ts lists them all. */
  function route(
    methods: readonly (typeof METHODS)[number][],
    path: string,
    handle: Handle,
    policy: Policy = 'data',
  ) {
    routes.push(`${methods.join(',')} ${path}`)
    router.on([...methods], path, (request, response, params) => {
      const again: KnownRoute['handle'] = (request, response) =>
        answer(request, response, path, params as Record<string, string>, handle, policy)
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
    policy: Policy = 'data',
  ) {
    const startedAt = performance.now()
    const requestId = requestIdOf(request)
    Object.assign(response, { requestId, security: security[policy] })
    const connection = connections.of(request)
    if (!mayBegin(connection, response)) return
    traffic.begin(response)
    const readsBody = request.method === 'POST' && path !== NO_ROUTE
    if (!boundBody(request, readsBody) || traffic.isDraining()) response.setHeader('connection', 'close')
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
      if (connection.address === null) countForwarded(request, response)
      handle(request, response, { requestId, params })?.catch((error) =>
        fail(request, response, error, requestId),
      )
    } catch (error) {
      fail(request, response, error, requestId)
    }
  }

  function fail(request: IncomingMessage, response: ServerResponse, error: unknown, requestId: string) {
    if (response.headersSent || response.destroyed) return void response.destroy()
    // The rest of the body is not read.
    if (error instanceof BadRequest || !request.complete) response.setHeader('connection', 'close')
    if (error instanceof BadRequest) return sendError(response, error.status, error.message)
    const { message, extensions } = outcomes.present(error, requestId)
    const { http, ...shown } = extensions as { http: { status: number; headers?: Record<string, string> } }
    sendJson(
      response,
      http.status,
      { errors: [{ message, extensions: shown }] },
      { ...http.headers, ...NO_STORE },
    )
  }

  route(['GET', 'POST'], GRAPHQL_PATH, (request, response, { requestId }) => {
    allowOrigin(app.env, request, response)
    if (traffic.isClosing()) throw overloaded(1)
    if (graphiql && asksForGraphiql(request)) {
      ;(response as IdentifiedResponse).security = security.graphiql
      return graphiql.sendPage(response)
    }
    return graphqlHttp(request, response, requestId)
  })
  if (app.env.allowedOrigins.length > 0)
    route(['OPTIONS'], GRAPHQL_PATH, (request, response) => sendPreflight(app.env, request, response))
  route(['GET', 'HEAD'], '/events/:id/waiting-room.json', (request, response, { params: { id = '' } }) =>
    publicState(request, response, id),
  )
  route(['GET', 'HEAD'], ticketStatusPath(':id'), (request, response, { params: { id = '' } }) =>
    ticketStatus(request, response, id),
  )
  route(
    ['GET', 'HEAD'],
    '/events/:id/layouts/:file',
    (request, response, { params: { id = '', file = '' } }) => layouts.send(request, response, id, file),
  )
  route(['GET', 'HEAD'], '/orders/:id/tickets.pdf', (request, response, { params: { id = '' } }) =>
    documents.sendPdf(request, response, id),
  )
  route(['GET', 'HEAD'], '/tickets/:id/pass.pkpass', (request, response, { params: { id = '' } }) =>
    documents.sendPass(request, response, id),
  )
  route(['GET', 'HEAD'], '/.well-known/jwks.json', (_request, response) =>
    sendJson(response, 200, publicKeys(app.keys.barcodes), {
      ...PUBLIC_HEADERS,
      'cache-control': 'public, max-age=300, stale-if-error=86400',
    }),
  )
  for (const [path, send] of Object.entries(schemaFiles)) route(['GET', 'HEAD'], path, send)
  route(['GET', 'HEAD'], '/healthz', (_request, response) => sendJson(response, 200, { alive: true }))
  route(['GET', 'HEAD'], '/readyz', async (_request, response) => {
    const found = await readiness(traffic.isDraining())
    sendJson(response, found.ready ? 200 : 503, found, NO_STORE)
  })
  for (const [provider, read] of app.payments.webhooks)
    route(['POST'], webhookPath(provider), (request, response) =>
      receiveWebhook(provider, read, request, response),
    )
  if (app.env.metricsToken !== null || app.env.embedded)
    route(['GET', 'HEAD'], '/metrics', createMetricsHttp(metrics, app.env.metricsToken))
  route(
    ['GET', 'HEAD'],
    '/e/:slug',
    (request, response, { params: { slug = '' } }) => pages.sendPage(request, response, slug),
    'shop',
  )
  // The service worker keeps it, and shows it at the address of an event while the server is slow.
  route(['GET', 'HEAD'], '/me', (request, response) => pages.sendMyTickets(request, response), 'shop')
  route(['GET', 'HEAD'], '/sw.js', (request, response) => pages.sendServiceWorker(request, response), 'page')
  route(['GET', 'HEAD'], '/assets/*', (request, response) => pages.sendAsset(request, response), 'page')
  route(['GET', 'HEAD'], '/payments/return/:order', (_request, response, { params: { order = '' } }) =>
    paymentPages.sendReturn(response, order),
  )
  if (graphiql) {
    route(
      ['GET', 'HEAD'],
      `${GRAPHIQL_PATH}/:file`,
      (request, response, { params: { file = '' } }) => graphiql.sendFile(request, response, file),
      'graphiql',
    )
    route(['POST'], '/dev/token', (request, response) => sendDevToken(identities, app.env, request, response))
    route(
      ['GET', 'HEAD'],
      '/dev/payments/:intent',
      (request, response, { params: { intent = '' } }) => paymentPages.sendAction(request, response, intent),
      'form',
    )
    route(
      ['POST'],
      '/dev/payments/:intent/decision',
      (request, response, { params: { intent = '' } }) =>
        paymentPages.takeDecision(request, response, intent),
      'form',
    )
    const devMail = createDevMail(app.env)
    route(['GET', 'HEAD'], '/dev/mail', devMail.sendList, 'page')
    route(['GET', 'HEAD'], '/dev/mail/:id', devMail.sendMail, 'page')
    route(['GET', 'HEAD'], '/dev/mail/:id/html', devMail.sendHtml, 'mail')
    route(['GET', 'HEAD'], '/dev/mail/:id/attachments/:index', devMail.sendAttachment)
    for (const path of ['/', '/e'])
      route(['GET', 'HEAD'], path, (_request, response) => pages.sendHome(response), 'page')
  }

  const options = {
    ...nodeOptions(limits),
    requireHostHeader: false,
    shouldUpgradeCallback: asksForSocket,
    ServerResponse: responsesWith(security.data),
  }
  const server = createServer(options, (request, response) => {
    if (!hasHost(request, response)) return
    const target = originForm(request.url)
    request.url = target
    const known = knownRoutes.get(target)
    if (known && known.method === request.method) return known.handle(request, response)
    router.lookup(request, response)
  })
  server.timeout = limits.stalledTimeout
  connections.attach(server)
  const hasBegun = (socket: Duplex) =>
    [...connections.of({ socket } as IncomingMessage).unanswered].some(({ headersSent }) => headersSent)
  answerBrokenRequests(server, hasBegun, security.data)
  return Object.assign(server, { routes, figures })

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

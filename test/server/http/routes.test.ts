import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { SCHEMA_VERSION } from '../../../src/resolvers/builder/schemaVersion.ts'
import { printedSchema } from '../../../src/resolvers/schema.ts'
import { CLASSES, type Class, type Limits } from '../../../src/server/graphql/priority.ts'
import { createHttp } from '../../../src/server/http/http.ts'
import { createServerParts } from '../../../src/server/index.ts'
import { cleanUp } from '../../support/cleanUp.ts'
import { insertEvent } from '../../support/event.ts'
import { signStripe } from '../../support/fakeStripe/events.ts'
import { testServer } from '../../support/server.ts'

const PUBLIC_URL = 'https://tickets.example.com'
const WEBHOOK_SECRET = 'whsec_of_the_tests'
const { app, db, token } = await testServer({
  PUBLIC_URL,
  EMBEDDED_ANYWHERE: 'yes',
  STRIPE_SECRET_KEY: 'sk_test_routes',
  STRIPE_PUBLISHABLE_KEY: 'pk_test_routes',
  STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET,
  MOLLIE_API_KEY: 'test_routes',
})
const { id, slug } = await insertEvent(db, { sections: [{ seats: 3 }] })
const section = (await app.catalogue.event(id))?.sections[0]

// Its parameter is its name, as the table's POST requests send it.
await db.pool.query(
  `insert into sandbox_payments
       (intent_id, order_id, event_id, payment_method, amount, currency, state, return_url, confirmed_at)
     values (':intent', 'none', 'none', 'pm_needs_action', 100, 'EUR', 'action_required', '/e/none', now())`,
)

interface Row {
  /** As registered. */
  route: string
  /** An address that answers. */
  get?: string
  status?: number
  cache: string | null
  policy: 'data' | 'page' | 'shop' | 'graphiql' | 'form' | 'mail'
  /** The priority class of a request that the process cannot answer from memory. Null: every answer is from memory. */
  class: Class | null
  /** The most bytes of a body. */
  body?: number
  post?: string
  headers?: Record<string, string>
}

const STRIPE_EVENT = JSON.stringify({
  object: 'event',
  type: 'payment_intent.succeeded',
  data: { object: { id: 'pi_of_another_shop' } },
})

const FOREVER = 'public, max-age=31536000, immutable'

const ROWS: Row[] = [
  {
    route: 'GET,POST /graphql',
    get: '/graphql?query={__typename}',
    cache: 'no-store',
    policy: 'data',
    class: 'browsing',
    body: 256 * 1_024,
  },
  {
    route: 'GET,HEAD /events/:id/waiting-room.json',
    get: `/events/${id}/waiting-room.json`,
    cache: 'public, max-age=2, stale-if-error=600',
    policy: 'data',
    class: 'maps',
  },
  {
    route: 'GET,HEAD /events/:id/layouts/:file',
    get: `/events/${id}/layouts/${section?.no}-${section?.layoutHash}.json`,
    cache: FOREVER,
    policy: 'data',
    class: 'maps',
  },
  {
    route: 'GET,HEAD /orders/:id/tickets.pdf',
    get: '/orders/none/tickets.pdf',
    status: 403,
    cache: 'no-store',
    policy: 'data',
    class: 'browsing',
  },
  {
    route: 'GET,HEAD /tickets/:id/pass.pkpass',
    get: '/tickets/none/pass.pkpass',
    status: 403,
    cache: 'no-store',
    policy: 'data',
    class: 'browsing',
  },
  {
    route: 'GET,HEAD /events/:id/ticket-status',
    get: `/events/${id}/ticket-status`,
    cache: 'public, max-age=60, stale-if-error=86400',
    policy: 'data',
    class: 'maps',
  },
  {
    route: 'GET,HEAD /.well-known/jwks.json',
    get: '/.well-known/jwks.json',
    cache: 'public, max-age=300, stale-if-error=86400',
    policy: 'data',
    class: null,
  },
  {
    route: 'GET,HEAD /schema.graphql',
    get: '/schema.graphql',
    cache: 'public, max-age=300, stale-if-error=86400',
    policy: 'data',
    class: null,
  },
  {
    route: 'GET,HEAD /schema-changelog.md',
    get: '/schema-changelog.md',
    cache: 'public, max-age=300, stale-if-error=86400',
    policy: 'data',
    class: null,
  },
  { route: 'GET,HEAD /healthz', get: '/healthz', cache: null, policy: 'data', class: null },
  { route: 'GET,HEAD /readyz', get: '/readyz', cache: 'no-store', policy: 'data', class: null },
  { route: 'GET,HEAD /metrics', get: '/metrics', cache: 'no-store', policy: 'data', class: null },
  {
    route: 'GET,HEAD /e/:slug',
    get: `/e/${slug}`,
    status: 200,
    cache: 'public, max-age=60, stale-if-error=86400',
    policy: 'shop',
    class: 'browsing',
  },
  {
    route: 'GET,HEAD /me',
    get: '/me',
    cache: 'public, max-age=60, stale-if-error=86400',
    policy: 'shop',
    class: null,
  },
  { route: 'GET,HEAD /sw.js', get: '/sw.js', cache: 'no-cache', policy: 'page', class: null },
  {
    route: 'GET,HEAD /assets/*',
    get: '/assets/none.js',
    status: 404,
    cache: 'no-store',
    policy: 'page',
    class: null,
  },
  {
    route: 'GET,HEAD /graphiql/:file',
    get: '/graphiql/none.js',
    status: 404,
    cache: 'no-store',
    policy: 'graphiql',
    class: null,
  },
  {
    route: 'POST /dev/token',
    post: '{"account":"ana"}',
    cache: 'no-store',
    policy: 'data',
    class: null,
    body: 8_192,
  },
  {
    route: 'POST /webhooks/stripe',
    post: STRIPE_EVENT,
    headers: { 'stripe-signature': signStripe(STRIPE_EVENT, WEBHOOK_SECRET) },
    cache: 'no-store',
    policy: 'data',
    class: 'maps',
    body: 64 * 1_024,
  },
  {
    route: 'POST /webhooks/mollie',
    post: 'id=tr_of_another_shop',
    cache: 'no-store',
    policy: 'data',
    class: 'maps',
    body: 64 * 1_024,
  },
  {
    route: 'GET,HEAD /payments/return/:order',
    get: `/payments/return/ord_${id.slice(4)}_1`,
    status: 303,
    cache: 'no-store',
    policy: 'data',
    class: 'maps',
  },
  {
    route: 'GET,HEAD /dev/payments/:intent',
    get: '/dev/payments/:intent',
    cache: 'no-store',
    policy: 'form',
    class: 'browsing',
  },
  {
    route: 'POST /dev/payments/:intent/decision',
    post: 'decision=approve',
    status: 303,
    cache: 'no-store',
    policy: 'form',
    class: 'checkout',
    body: 1_024,
  },
  { route: 'GET,HEAD /dev/mail', get: '/dev/mail', cache: 'no-store', policy: 'page', class: null },
  {
    route: 'GET,HEAD /dev/mail/:id',
    get: '/dev/mail/none',
    status: 404,
    cache: 'no-store',
    policy: 'page',
    class: null,
  },
  {
    route: 'GET,HEAD /dev/mail/:id/html',
    get: '/dev/mail/none/html',
    status: 404,
    cache: 'no-store',
    policy: 'mail',
    class: null,
  },
  {
    route: 'GET,HEAD /dev/mail/:id/attachments/:index',
    get: '/dev/mail/none/attachments/0',
    status: 404,
    cache: 'no-store',
    policy: 'data',
    class: null,
  },
  { route: 'GET,HEAD /', get: '/', status: 302, cache: 'no-store', policy: 'page', class: null },
  { route: 'GET,HEAD /e', get: '/e', status: 302, cache: 'no-store', policy: 'page', class: null },
]

const POLICIES = {
  data: {
    csp: "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    referrer: 'no-referrer',
  },
  page: {
    csp: "default-src 'self'; connect-src 'self' wss://tickets.example.com; img-src 'self' data: https:; style-src 'self' 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    referrer: 'same-origin',
  },
  shop: {
    csp: "default-src 'self'; script-src 'self' https://js.stripe.com https://*.js.stripe.com; frame-src https://js.stripe.com https://*.js.stripe.com https://hooks.stripe.com; connect-src 'self' wss://tickets.example.com https://api.stripe.com; img-src 'self' data: https:; style-src 'self' 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    referrer: 'same-origin',
  },
  form: {
    csp: "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    referrer: 'same-origin',
  },
  graphiql: {
    csp: "default-src 'self'; connect-src 'self' wss://tickets.example.com; img-src 'self' data:; font-src 'self' data:; style-src 'self' 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    referrer: 'no-referrer',
  },
  mail: {
    csp: "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'",
    referrer: 'no-referrer',
  },
}

async function serve(shut: readonly Class[] = [], env = app.env) {
  const limits = Object.fromEntries(
    CLASSES.map((of): [Class, Limits] => [
      of,
      shut.includes(of)
        ? { running: 0, mostWaiting: 0, patienceSeconds: 1 }
        : { running: 9, mostWaiting: 99, patienceSeconds: 9 },
    ]),
  ) as Record<Class, Limits>
  const served = { ...app, env }
  const http = createHttp({
    ...createServerParts(served, limits),
    traffic: { isDraining: () => false, isClosing: () => false, begin() {}, end() {} },
  })
  await once(http.listen(0, '127.0.0.1'), 'listening')
  cleanUp(() => {
    http.close()
    http.closeAllConnections()
  })
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  const request = (path: string, init?: RequestInit) => fetch(url + path, { redirect: 'manual', ...init })
  return Object.assign(request, { routes: [...http.routes].sort() })
}

type Request = Awaited<ReturnType<typeof serve>>

function answerTo(row: Row, request: Request): Promise<Response> {
  if (row.get) return request(row.get)
  const path = row.route.split(' ')[1] as string
  return request(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...row.headers },
    body: row.post as string,
  })
}

function expectSecurity({ headers }: Response, policy: Row['policy'], what: string) {
  expect(
    {
      csp: headers.get('content-security-policy'),
      referrer: headers.get('referrer-policy'),
      sniff: headers.get('x-content-type-options'),
      hsts: headers.get('strict-transport-security'),
      id: headers.get('x-request-id'),
    },
    what,
  ).toEqual({
    ...POLICIES[policy],
    sniff: 'nosniff',
    hsts: 'max-age=31536000',
    id: expect.stringMatching(/^[\w-]{16}$/),
  })
}

test('every route is listed here', async () => {
  expect((await serve()).routes).toEqual(ROWS.map(({ route }) => route).sort())
})

test('the page may load Stripe.js only where Stripe takes the money', async () => {
  const get = await serve([], { ...app.env, payments: { ...app.env.payments, stripe: null } })
  expectSecurity(await get(`/e/${slug}`), 'page', 'without Stripe')
})

test('preflights are answered only where other origins are allowed', async () => {
  const allowed = await serve([], { ...app.env, allowedOrigins: ['capacitor://localhost'] })
  expect(allowed.routes).toEqual([...ROWS.map(({ route }) => route), 'OPTIONS /graphql'].sort())
})

test('only the embedded default has a page for developers, and metrics without a token', async () => {
  const embeddedOnly = [
    '/metrics',
    '/graphiql/:file',
    '/dev/token',
    '/dev/payments/:intent',
    '/dev/payments/:intent/decision',
    '/dev/mail',
    '/dev/mail/:id',
    '/dev/mail/:id/html',
    '/dev/mail/:id/attachments/:index',
    '/',
    '/e',
  ]
  const get = await serve([], { ...app.env, embedded: false })
  expect(get.routes).toEqual(
    ROWS.map(({ route }) => route)
      .filter((route) => !embeddedOnly.includes(route.split(' ')[1] as string))
      .sort(),
  )
  expect((await get('/metrics')).status).toBe(404)
  const page = await get('/graphql', { headers: { accept: 'text/html' } })
  expect(await page.text()).not.toContain('graphiql')
})

test('metrics need the token, where one is set', async () => {
  const metricsToken = 'a token of the tests'
  const get = await serve([], { ...app.env, embedded: false, metricsToken })
  const status = async (authorization?: string) => {
    const answer = await get('/metrics', { headers: authorization ? { authorization } : {} })
    return [answer.status, (await answer.text()).includes('fairgate_')]
  }
  for (const wrong of [undefined, '', 'Bearer ', 'Bearer a token', metricsToken, `Bearer ${await token()}`])
    expect(await status(wrong)).toEqual([401, false])
  expect(await status(`Bearer ${metricsToken}`)).toEqual([200, true])
})

test.each(ROWS)('$route has its methods, its headers and its caching', async (row) => {
  const request = await serve()
  const methods = (row.route.split(' ')[0] as string).split(',')
  const path = row.get ?? (row.route.split(' ')[1] as string)
  const answer = await answerTo(row, request)
  const text = await answer.text()
  const isUnbuilt = answer.status === 503 && text.includes('build:web')
  if (!isUnbuilt) {
    expect(answer.status).toBe(row.status ?? 200)
    expect(answer.headers.get('cache-control')).toBe(row.cache)
  }
  expectSecurity(answer, row.policy, row.route)
  for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH']) {
    if (methods.includes(method)) continue
    const refused = await request(path, { method })
    expect([method, refused.status, refused.headers.get('allow')]).toEqual([method, 405, methods.join(', ')])
    expectSecurity(refused, 'data', `${method} ${path}`)
  }
  if (methods.includes('HEAD')) {
    const head = await request(path, { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([answer.status, ''])
    expectSecurity(head, row.policy, `HEAD ${path}`)
  }
})

test.each(ROWS)('$route waits in its priority class, or is answered from memory', async (row) => {
  const shut = await answerTo(row, await serve(CLASSES))
  expect((await shut.text()).includes('"code":"OVERLOADED"')).toBe(row.class !== null)
  if (row.class === null) return
  const others = CLASSES.filter((of) => of !== row.class)
  expect(await (await answerTo(row, await serve(others))).text()).not.toContain('"code":"OVERLOADED"')
})

test.each(ROWS.filter(({ body }) => body))(
  '$route has the limit of its body',
  async ({ route, body = 0 }) => {
    const request = await serve()
    const send = async (bytes: number) => {
      const answer = await request(route.split(' ')[1] as string, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: ' '.repeat(bytes),
      })
      return [answer.status, answer.headers.get('connection')]
    }
    expect((await send(body))[0]).toBe(400)
    expect(await send(body + 1)).toEqual([413, 'close'])
  },
)

test.each([
  ['/nothing', 404],
  ['/%zz', 400],
  ['/e/nowhere', 404],
])('an answer without a route has the security headers too: %s', async (path, status) => {
  const request = await serve()
  const answer = await request(path)
  expect(answer.status).toBe(status)
  expectSecurity(answer, path.startsWith('/e/') ? 'shop' : 'data', path)
})

test('the schema is served as a file, with its version and its changelog', async () => {
  const request = await serve([], { ...app.env, embedded: false, introspection: false })
  const schema = await request('/schema.graphql')
  expect(await schema.text()).toBe(printedSchema())
  expect(schema.headers.get('content-type')).toBe('application/graphql; charset=utf-8')
  const etag = schema.headers.get('etag') as string
  expect((await request('/schema.graphql', { headers: { 'if-none-match': etag } })).status).toBe(304)
  expect(await (await request('/schema-changelog.md')).text()).toContain(`## ${SCHEMA_VERSION}\n`)
})

test('GraphiQL is a short page; its files never change at their address', async () => {
  const request = await serve()
  const page = await request('/graphql', { headers: { accept: 'text/html' } })
  expectSecurity(page, 'graphiql', 'GraphiQL')
  const html = await page.text()
  expect(html.length).toBeLessThan(10_000)
  // Without inline scripts, which the policy forbids.
  expect(html).not.toMatch(/<script>|<style>/)
  const script = /src="(.*?)"/.exec(html)?.[1] as string
  for (const path of [script, /stylesheet" href="(.*?)"/.exec(html)?.[1] as string]) {
    const file = await request(path)
    expect([file.status, file.headers.get('cache-control')]).toEqual([200, FOREVER])
    expectSecurity(file, 'graphiql', path)
    expect((await file.arrayBuffer()).byteLength).toBeGreaterThan(10_000)
    const etag = file.headers.get('etag') as string
    expect((await request(path, { headers: { 'if-none-match': etag } })).status).toBe(304)
  }
})

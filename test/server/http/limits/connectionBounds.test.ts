import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { createHttp } from '../../../../src/server/http/http.ts'
import { HTTP_LIMITS, type HttpLimits } from '../../../../src/server/http/limits/httpLimits.ts'
import { createServerParts } from '../../../../src/server/index.ts'
import { createSockets } from '../../../../src/server/sockets/sockets.ts'
import { cleanUp } from '../../../support/cleanUp.ts'
import { insertEvent } from '../../../support/event.ts'
import { testServer } from '../../../support/server.ts'

// The bounds of connections, of requests behind a proxy and of event streams, each with limits that a test can reach.
const { app, db, token } = await testServer()
const hall = await insertEvent(db, { sections: [{ seats: 2_000 }] })
const PATIENT = { timeout: 20_000 }

async function serve(limits: Partial<HttpLimits>, env: Partial<typeof app.env> = {}) {
  const parts = createServerParts({ ...app, env: { ...app.env, ...env } })
  const counted = { refused: [] as string[], slow: 0 }
  const metrics = {
    ...parts.metrics,
    httpRefused: (reason: string) => void counted.refused.push(reason),
    slowConnection: () => void counted.slow++,
  }
  const traffic = { isDraining: () => false, isClosing: () => false, begin() {}, end() {} }
  const http = createHttp({ ...parts, metrics, traffic }, { ...HTTP_LIMITS, ...limits })
  const sockets = createSockets(parts)
  sockets.attach(http)
  await once(http.listen(0, '127.0.0.1'), 'listening')
  cleanUp(async () => {
    await sockets.close()
    http.closeAllConnections()
    http.close()
  })
  const { port } = http.address() as AddressInfo
  return { port, url: `http://127.0.0.1:${port}`, figures: http.figures, counted, open: () => open(port) }
}

function open(port: number) {
  const socket = connect(port, '127.0.0.1').on('error', () => {})
  cleanUp(() => socket.destroy())
  let text = ''
  socket.on('data', (data) => {
    text += data
  })
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  return {
    ...{ socket, closed, text: () => text, isClosed: () => socket.closed },
    async ask(path = '/healthz') {
      const before = text.length
      socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`)
      await expect.poll(() => text.length > before || socket.closed, PATIENT).toBe(true)
      return text.slice(before).split('\r\n')[0]
    },
  }
}

const body = (query: string, variables = {}) => JSON.stringify({ query, variables })
const LAYOUT = body('query ($id: ID!) { event(id: $id) { sections { layout { id key row number x y } } } }', {
  id: hall.id,
})
const post = (json: string, headers = '') =>
  `POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n${headers}content-length: ${json.length}\r\n\r\n${json}`
/** The answers that Node makes itself, and those without a body, have the security headers too. */
const SECURE = /content-security-policy: default-src 'none'[^\r]*\r\nx-content-type-options: nosniff/
const HALF_SENT =
  'POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{'

test('an address has a bounded number of connections; one that rests makes room for a new one', async () => {
  const { open, figures, counted } = await serve({}, { trustedProxies: [], connectionsPerAddress: 5 })
  const resting = open()
  expect(await resting.ask()).toBe('HTTP/1.1 200 OK')
  const busy = Array.from({ length: 4 }, () => open())
  for (const { socket } of busy) socket.write(HALF_SENT)
  await expect.poll(() => figures().connections, PATIENT).toBe(5)
  // The sixth connection gets the place of the resting one.
  const sixth = open()
  expect(await sixth.ask()).toBe('HTTP/1.1 200 OK')
  await resting.closed
  sixth.socket.write(HALF_SENT)
  await expect.poll(() => figures().connections, PATIENT).toBe(5)

  const seventh = open()
  await seventh.closed
  expect(seventh.text()).toMatch(/^HTTP\/1.1 429 Too Many Requests\r\nconnection: close\r\n/)
  expect(seventh.text()).toContain('\r\nretry-after: 5\r\n')
  expect(seventh.text()).toMatch(SECURE)
  expect(counted.refused).toEqual(['address'])
  busy[0]?.socket.destroy()
  await expect.poll(() => figures().connections, PATIENT).toBe(4)
  expect(await open().ask()).toBe('HTTP/1.1 200 OK')
})

test('a process has a bounded number of connections, also behind a proxy; WebSockets count apart', async () => {
  const { open, url, figures } = await serve({ connections: 3 })
  const ws = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws')
  cleanUp(() => ws.terminate())
  await once(ws, 'open')
  const busy = Array.from({ length: 3 }, () => open())
  for (const { socket } of busy) socket.write(HALF_SENT)
  await expect.poll(() => figures().connections, PATIENT).toBe(3)
  const fourth = open()
  await fourth.closed
  expect(fourth.text()).toMatch(/^HTTP\/1.1 503/)
  expect(ws.readyState).toBe(ws.OPEN)
})

test('a client behind a proxy has a bounded number of requests under way; its neighbours have theirs', async () => {
  const { open, url } = await serve({}, { connectionsPerAddress: 3 })
  const from = (address: string) => `x-forwarded-for: ${address}\r\n`
  const slow = Array.from({ length: 3 }, () => open())
  for (const { socket } of slow)
    socket.write(HALF_SENT.replace('content-type', `${from('192.0.2.7')}content-type`))
  const ask = async (address: string) => {
    const headers = { 'content-type': 'application/json', 'x-forwarded-for': address }
    const answer = await fetch(`${url}/graphql`, { method: 'POST', headers, body: body('{ __typename }') })
    return { status: answer.status, text: await answer.text() }
  }
  await expect.poll(async () => (await ask('192.0.2.7')).status, PATIENT).toBe(429)
  expect((await ask('192.0.2.7')).text).toContain('"RATE_LIMITED"')
  expect((await ask('192.0.2.8')).status).toBe(200)
  slow[0]?.socket.destroy()
  await expect.poll(async () => (await ask('192.0.2.7')).status, PATIENT).toBe(200)
})

/** A client that requests large answers again and again, many at once, and reads nothing. */
function deaf({ open }: Pick<Awaited<ReturnType<typeof serve>>, 'open'>): Socket {
  const { socket } = open()
  socket.pause()
  // The system's buffers take the first answers.
  const again = setInterval(() => socket.write(post(LAYOUT).repeat(8)), 50)
  socket.once('close', () => clearInterval(again))
  return socket
}

test('a connection that does not read begins no further operation, and is closed within seconds', async () => {
  const server = await serve({ unreadSeconds: 1 })
  const sockets = Array.from({ length: 2 }, () => deaf(server))
  let most = 0
  const look = () => {
    most = Math.max(most, server.figures().unreadBytes)
    return server.counted.slow
  }
  await expect.poll(look, PATIENT).toBe(2)
  // One answer has some 300 KB. Without the bound, each connection would keep 32 of them.
  expect(most).toBeGreaterThan(64 * 1_024)
  expect(most).toBeLessThan(2 * 2_000_000)
  await expect.poll(() => server.figures().connections, PATIENT).toBe(0)
  expect(server.figures().unreadBytes).toBe(0)
  for (const socket of sockets) socket.destroy()
})

test('connections that together leave too much unread are closed, those with the most first', async () => {
  const server = await serve({ unreadSeconds: 1_000, unreadBytesInAll: 100_000 })
  const reader = server.open()
  expect(await reader.ask()).toBe('HTTP/1.1 200 OK')
  const sockets = Array.from({ length: 2 }, () => deaf(server))
  await expect.poll(() => server.counted.slow, PATIENT).toBe(2)
  expect(await reader.ask()).toBe('HTTP/1.1 200 OK')
  for (const socket of sockets) socket.destroy()
})

const FOLLOW = body(`subscription { saleUpdated(eventId: "${hall.id}") { state available } }`)

async function follow(url: string, headers: Record<string, string>) {
  const abort = new AbortController()
  cleanUp(() => abort.abort())
  const answer = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream', ...headers },
    body: FOLLOW,
    signal: abort.signal,
  })
  return { status: answer.status, answer, stop: () => abort.abort() }
}

test('event streams are bounded by address, by account and in all', async () => {
  const { url, figures, counted } = await serve({ streams: 40, streamsOfAddress: 5, streamsOfAccount: 3 })
  const many = (count: number, headers: (i: number) => Record<string, string>) =>
    Promise.all(Array.from({ length: count }, (_, i) => follow(url, headers(i))))
  const opened = (streams: { status: number }[]) => streams.filter(({ status }) => status === 200).length

  const address = await many(7, () => ({ 'x-forwarded-for': '192.0.2.1' }))
  expect(opened(address)).toBe(5)
  const refused = address.find(({ status }) => status !== 200)
  expect(refused?.status).toBe(429)
  expect(await refused?.answer.text()).toContain('A WebSocket carries many subscriptions')
  const authorization = `Bearer ${await token('greedy')}`
  const own = (i: number) => ({ 'x-forwarded-for': `198.51.100.${i}` })
  expect(opened(await many(5, (i) => ({ authorization, ...own(i) })))).toBe(3)
  expect(counted.refused).toEqual(['stream', 'stream', 'stream', 'stream'])
  // A stream that ends makes room.
  address.find(({ status }) => status === 200)?.stop()
  await expect.poll(() => figures().eventStreams, PATIENT).toBe(7)
  expect((await follow(url, { 'x-forwarded-for': '192.0.2.1' })).status).toBe(200)

  expect(opened(await many(32, (i) => own(100 + i)))).toBe(32)
  expect((await follow(url, own(200))).status).toBe(503)
})

test('a request that Node refuses by itself is answered with the security headers', async () => {
  const { open } = await serve({ headersTimeout: 300, connectionsCheckingInterval: 50 })
  const broken: [string, string][] = [
    ['GET / HTTP/1.1\r\nno header\r\n\r\n', '400'],
    ['GET /healthz HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n1\r\nx\r\n', '400'],
    [
      'GET /healthz HTTP/1.1\r\nhost: x\r\nexpect: a miracle\r\ntransfer-encoding: chunked\r\n\r\n1\r\nx\r\n',
      '417',
    ],
    [`GET /healthz HTTP/1.1\r\nhost: x\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`, '431'],
    ['GET /healthz HTTP/1.1\r\nhost: x\r\n', '408'],
    ['GET /none HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n', '404'],
    ['GET /graphql HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n', '400'],
  ]
  for (const [request, status] of broken) {
    const client = open()
    client.socket.write(request)
    await expect.poll(client.text, PATIENT).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(client.text()).toMatch(SECURE)
    expect(client.text()).toMatch(/^connection: close/im)
    client.socket.destroy()
  }
})

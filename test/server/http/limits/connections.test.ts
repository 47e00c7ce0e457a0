import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { createHttp } from '../../../../src/server/http/http.ts'
import { HTTP_LIMITS, type HttpLimits } from '../../../../src/server/http/limits/httpLimits.ts'
import { createServerParts } from '../../../../src/server/index.ts'
import { cleanUp } from '../../../support/cleanUp.ts'
import { testServer } from '../../../support/server.ts'

const { app, url } = await testServer()

async function serve(limits: Partial<HttpLimits>) {
  let begun = 0
  const http = createHttp(
    {
      ...createServerParts(app),
      traffic: { isDraining: () => false, isClosing: () => false, begin: () => void begun++, end() {} },
    },
    { ...HTTP_LIMITS, ...limits },
  )
  await once(http.listen(0, '127.0.0.1'), 'listening')
  cleanUp(() => {
    http.close()
    http.closeAllConnections()
  })
  const { port } = http.address() as AddressInfo
  return { open: () => connect(port, '127.0.0.1').on('error', () => {}), begun: () => begun }
}

function everything(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    socket.on('data', (data) => {
      text += data
    })
    socket.on('close', () => resolve(text))
  })
}

const count = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0
const request = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nhost: x\r\n${more}\r\n`

test('the limits that Node keeps are the stated ones', async () => {
  const http = createHttp({
    ...createServerParts(app),
    traffic: { isDraining: () => false, isClosing: () => false, begin() {}, end() {} },
  })
  expect(http).toMatchObject({
    headersTimeout: 10_000,
    requestTimeout: 30_000,
    timeout: 60_000,
    keepAliveTimeout: 75_000,
  })
})

test.each([
  ['no byte at all', ''],
  ['half of its headers', 'GET /healthz HTTP/1.1\r\nhost: x\r\n'],
  [
    'half of its body',
    'POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{',
  ],
])('a connection that sends %s is closed', async (_what, sent) => {
  const { open } = await serve({ headersTimeout: 200, requestTimeout: 400, connectionsCheckingInterval: 50 })
  const socket = open()
  if (sent) socket.write(sent)
  const text = await everything(socket)
  if (sent) expect(text).toMatch(/^HTTP\/1.1 408/)
})

/** The address of GraphiQL's script, the largest answer of the server. */
async function largestFile(): Promise<string> {
  const page = await (await fetch(`${url}/graphql`, { headers: { accept: 'text/html' } })).text()
  return /<script src="(.*?)"/.exec(page)?.[1] ?? '/graphql'
}

test('connections that read nothing share the bytes of GraphiQL', async () => {
  const { open, begun } = await serve({})
  const path = await largestFile()
  // Loads and compresses the files.
  const first = open()
  first.write(request(path, 'connection: close\r\n'))
  expect((await everything(first)).length).toBeGreaterThan(5_000_000)
  const kept = () => {
    const { heapUsed, arrayBuffers } = process.memoryUsage()
    return (heapUsed + arrayBuffers) / 1_000_000
  }
  const before = kept()
  const sockets = Array.from({ length: 60 }, () => open().pause())
  for (const socket of sockets) socket.write(request(path))
  await expect.poll(begun, { timeout: 20_000 }).toBe(61)
  // One copy for each would be 480 MB.
  expect(kept() - before).toBeLessThan(100)
  for (const socket of sockets) socket.destroy()
})

test('a connection that does not read is closed', async () => {
  const { open } = await serve({ stalledTimeout: 300 })
  const script = await largestFile()
  const socket = open()
  socket.write(request(script).repeat(4))
  socket.pause()
  const closed = once(socket, 'close')
  // The server destroys the connection, which a paused client notices when it reads what is left.
  await new Promise((resolve) => setTimeout(resolve, 2_000))
  socket.resume()
  await closed
  expect(socket.bytesRead).toBeLessThan(4 * 8_000_000)
})

test('a connection that pipelines has a bounded number of requests under way', async () => {
  const { open, begun } = await serve({ pipelined: 10, dropped: 200 })
  const few = open()
  few.write(request('/healthz').repeat(10))
  few.end()
  expect(count(await everything(few), /HTTP\/1.1 200/g)).toBe(10)

  const more = open()
  more.write(request('/readyz').repeat(100))
  const text = await everything(more)
  expect([count(text, /HTTP\/1.1 200/g), count(text, /HTTP\/1.1 503/g)]).toEqual([10, 1])
  expect(text).toMatch(/HTTP\/1.1 503.*connection: close/is)
  expect(begun()).toBe(20)

  const flood = open()
  flood.write(request('/readyz').repeat(20_000))
  expect(count(await everything(flood), /HTTP\/1.1/g)).toBeLessThanOrEqual(11)
  expect(begun()).toBe(30)
})

test('a connection that waits for each answer has no bound', async () => {
  const { open } = await serve({ pipelined: 2 })
  const socket = open()
  for (let n = 0; n < 20; n++) {
    socket.write(request('/healthz'))
    const [answer] = await once(socket, 'data')
    expect(String(answer)).toMatch(/^HTTP\/1.1 200/)
  }
  socket.destroy()
})

import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { CLASSES, createPriority, type Limits } from '../../../../src/server/graphql/priority.ts'
import { createLayouts } from '../../../../src/server/http/routes/layouts.ts'
import { cleanUp } from '../../../support/cleanUp.ts'

const SEATS = 2_000
const layout = Array.from({ length: SEATS }, (_, index) => ({
  id: `seat_${index}`,
  key: `S-${index}`,
  index,
  row: `R${Math.floor(index / 100)}`,
  number: String(index % 100),
  x: index % 100,
  y: Math.floor(index / 100),
  priceLevelNo: 1,
  wheelchair: false,
  companionOf: null,
}))
/** A layout is kept as it is and compressed. */
const bytesOf = (json: string) => Buffer.byteLength(json) + gzipSync(json).length
const BYTES = bytesOf(JSON.stringify(layout))
/** 16 MB: more than the buffers of a connection take. */
const large = layout.slice(0, 1_000).map((seat) => ({ ...seat, key: 'x'.repeat(16_000) }))
const LARGE_BYTES = bytesOf(JSON.stringify(large))
const event = {
  sections: [1, 2, 3, 4, 5, 6, 7, 8].map((no) => ({
    no,
    layoutHash: `h${no}`,
    layout: no > 4 ? large : layout,
  })),
}
const path = (no = 1) => `/${no}-h${no}.json`
const OPEN: Limits = { running: 10, mostWaiting: 100, patienceSeconds: 10 }
const SHUT: Limits = { running: 0, mostWaiting: 0, patienceSeconds: 10 }

async function serve(limits = OPEN, mostBytes?: number) {
  let lookUps = 0
  const catalogue = {
    event: (id: string) => {
      lookUps++
      return id === 'evt' ? event : null
    },
  }
  const priority = createPriority({
    limits: Object.fromEntries(CLASSES.map((of) => [of, limits])) as never,
  })
  const layouts = createLayouts({ app: { catalogue } as never, priority, mostBytes })
  const server = createServer({ keepAliveTimeout: 60_000 }, async (request, response) => {
    try {
      await layouts.send(request, response, 'evt', (request.url as string).slice(1))
    } catch {
      response.writeHead(503).end()
    }
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  cleanUp(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo
  return {
    get: (path: string, init?: RequestInit) => fetch(`http://127.0.0.1:${port}${path}`, init),
    /** Requests the layout and reads nothing. */
    stall(path: string) {
      const socket = connect(port, '127.0.0.1').on('error', () => {})
      socket.pause().write(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`)
      return socket
    },
    figures: layouts.figures,
    lookUps: () => lookUps,
  }
}

test('a layout is serialized once, for any number of clients', async () => {
  const { get, figures } = await serve()
  const answers = await Promise.all(Array.from({ length: 20 }, () => get(path()).then((a) => a.text())))
  expect(new Set(answers)).toEqual(new Set([JSON.stringify(layout)]))
  await (await get(path())).arrayBuffer()
  expect(figures()).toEqual({ bytes: BYTES, layouts: 1, serialized: 1 })
})

test('a client that has the layout gets 304 without a look-up, and HEAD serializes nothing', async () => {
  const { get, figures, lookUps } = await serve()
  for (const tag of ['"h1"', 'W/"h1"', '"other", "h1"'])
    expect((await get(path(), { headers: { 'if-none-match': tag } })).status).toBe(304)
  expect(lookUps()).toBe(0)
  const head = await get(path(), { method: 'HEAD' })
  expect([head.status, head.headers.get('etag'), await head.text()]).toEqual([200, '"h1"', ''])
  expect((await get('/1-h2.json', { method: 'HEAD' })).status).toBe(404)
  expect(figures()).toMatchObject({ layouts: 0, serialized: 0 })
})

test('an overloaded process serializes no layout, and still answers 304', async () => {
  const { get, figures } = await serve(SHUT)
  for (const method of ['GET', 'HEAD']) expect((await get(path(), { method })).status).toBe(503)
  expect((await get(path(), { headers: { 'if-none-match': '"h1"' } })).status).toBe(304)
  expect(figures()).toMatchObject({ layouts: 0, serialized: 0 })
})

test('a layout is compressed for clients that accept it, and both answers have one digest', async () => {
  const { get } = await serve()
  const encoded = await get(path(), { headers: { 'accept-encoding': 'br, gzip' } })
  const plain = await get(path(), { headers: { 'accept-encoding': 'gzip;q=0, br' } })
  expect(encoded.headers.get('content-encoding')).toBe('gzip')
  expect(plain.headers.get('content-encoding')).toBe(null)
  expect(await encoded.json()).toEqual(await plain.json())
  expect(encoded.headers.get('etag')).toBe(`W/${plain.headers.get('etag')}`)
  expect(encoded.headers.get('vary')).toBe('accept-encoding')
  const again = await get(path(), { headers: { 'if-none-match': encoded.headers.get('etag') ?? '' } })
  expect(again.status).toBe(304)
})

test('layouts never take more than their bytes: the least recently used goes first', async () => {
  const { get, figures } = await serve(OPEN, 2.5 * BYTES)
  for (const no of [1, 2, 1, 3]) await (await get(path(no))).arrayBuffer()
  expect(figures()).toEqual({ bytes: 2 * BYTES, layouts: 2, serialized: 3 })
  // The first is kept still, the second is not.
  await (await get(path(1))).arrayBuffer()
  expect(figures().serialized).toBe(3)
  await (await get(path(2))).arrayBuffer()
  expect(figures()).toEqual({ bytes: 2 * BYTES, layouts: 2, serialized: 4 })
})

test('clients that read nothing keep no more bytes either: the connection that waits longest is closed', async () => {
  const { get, stall, figures } = await serve(OPEN, 2.5 * LARGE_BYTES)
  const stalled = stall(path(5))
  await expect.poll(() => figures().layouts, { timeout: 20_000 }).toBe(1)
  const other = stall(path(6))
  await expect.poll(() => figures().layouts, { timeout: 20_000 }).toBe(2)
  expect(await (await get(path(7))).json()).toHaveLength(large.length)
  expect(figures()).toEqual({ bytes: 2 * LARGE_BYTES, layouts: 2, serialized: 3 })
  // It ends in the middle of its layout.
  stalled.resume()
  await once(stalled, 'close')
  expect(stalled.bytesRead).toBeLessThan(LARGE_BYTES)
  other.destroy()
})

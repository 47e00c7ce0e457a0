import diagnostics from 'node:diagnostics_channel'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { BOUNDS } from '../../src/server/sockets/bounds.ts'
import { cleanUp } from '../support/cleanUp.ts'
import { insertEvent } from '../support/event.ts'
import { LONG } from '../support/long.ts'
import { type Json, testServer } from '../support/server.ts'

// Floods of sockets beside an honest fan. Few database connections: the flood has to fill few slots.
const { url, db, ask, token } = await testServer({ DATABASE_POOL: '4', SOCKETS_PER_ADDRESS: '30' })
const SLOTS = 4 * 4

const hall = await insertEvent(db, { sections: [{ seats: 2_000 }] })
const PATIENT = { timeout: 60_000 }

const LAYOUT = `query ($id: ID!) { event(id: $id) { sections { layout {
  id key row number x y priceLevelId wheelchair companionOf } } } }`
const HOLD = `mutation ($input: HoldInput!) { hold(input: $input) { __typename ... on Hold { id } } }`
const CHECKOUT = `mutation ($input: CheckoutInput!) { checkout(input: $input) { __typename ... on Order { state } } }`

/** Returns the values of these metrics. The server renders them at most once a second, so one call reads them all. */
async function metrics(...names: string[]): Promise<number[]> {
  const text = await (await fetch(`${url}/metrics`)).text()
  return names.map((name) => Number(new RegExp(`^${name} (\\d+)`, 'm').exec(text)?.[1]))
}

async function metric(name: string): Promise<number> {
  return (await metrics(name))[0] as number
}

/** The server's side of each connection, by the client's port. */
const accepted = new Map<number | undefined, Socket>()
const onAccepted = (message: unknown) => {
  const { socket } = message as { socket: Socket }
  accepted.set(socket.remotePort, socket)
}
diagnostics.subscribe('net.server.socket', onAccepted)
cleanUp(() => diagnostics.unsubscribe('net.server.socket', onAccepted))

/** A hostile client: a socket that sends what it likes. */
async function connect({ greets = true, headers = {} } = {}) {
  const ws = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', { headers })
  ws.on('error', () => {})
  cleanUp(() => ws.terminate())
  const received: Json[] = []
  ws.on('message', (data) => received.push(JSON.parse(String(data))))
  const closed = new Promise<number>((resolve) => ws.once('close', resolve))
  await once(ws, 'open')
  const tcp = (ws as unknown as { _socket: Socket })._socket
  if (greets) {
    ws.send('{"type":"connection_init"}')
    // Also where the server closes it.
    await Promise.race([once(ws, 'message'), closed])
  }
  return {
    ...{ ws, tcp, received, closed },
    subscribe: (id: string, query: string, variables = {}) =>
      ws.send(JSON.stringify({ type: 'subscribe', id, payload: { query, variables } })),
  }
}

type Client = Awaited<ReturnType<typeof connect>>

/** True where the server keeps answers of a client because the system's buffers are full. */
const isFull = ({ tcp }: Client) =>
  (accepted.get(tcp.localPort)?.writableLength ?? 0) > 3 * BOUNDS.unreadBytes

/**
 * Requests one layout after the other for a client that does not read, until the server has to keep an answer. Returns the
 * number of requests. The sizes of the system's buffers differ from socket to socket, so each socket is measured alone.
 */
async function fill(client: Client): Promise<number> {
  const served = accepted.get(client.tcp.localPort) as Socket
  for (let sent = 0; ; ) {
    const before = served.bytesWritten
    client.subscribe(`layout-${sent++}`, LAYOUT, { id: hall.id })
    const written = () => served.bytesWritten - before
    await expect.poll(written, { ...PATIENT, interval: 10 }).toBeGreaterThan(3 * BOUNDS.unreadBytes)
    // The system may accept the rest a moment later.
    if (isFull(client)) await sleep(200)
    if (isFull(client)) return sent
  }
}

let bought = 0
/** The purchase of an honest fan: a hold, and the checkout of it. */
async function buy(): Promise<string> {
  const fan = { token: await token() }
  const seats = [hall.seatId(1 + 2 * bought++)]
  const held = await ask(
    HOLD,
    { input: { eventId: hall.id, idempotencyKey: 'k', selection: { seats } } },
    fan,
  )
  const input = { holdId: held.data.hold.id, paymentMethod: 'pm_card_visa', idempotencyKey: 'k' }
  return (await ask(CHECKOUT, { input }, fan)).data.checkout.state
}

test('sockets that read nothing keep no slot and get closed; a purchase beside them works', async () => {
  // The test decides when the server finds the deaf sockets. A ping would close one without counting it as slow.
  const { unreadSeconds, pingSeconds } = BOUNDS
  cleanUp(() => Object.assign(BOUNDS, { unreadSeconds, pingSeconds }))
  Object.assign(BOUNDS, { unreadSeconds: Number.POSITIVE_INFINITY, pingSeconds: 1_000_000 })
  const slow = await metric('fairgate_slow_sockets_total')
  const deaf = await Promise.all(Array.from({ length: 3 }, () => connect()))
  for (const { tcp } of deaf) tcp.pause()
  await Promise.all(deaf.map(fill))
  for (const { subscribe } of deaf)
    for (let i = 0; i < 3 * SLOTS; i++) subscribe(`pay-${i}`, CHECKOUT, { input: { holdId: 'x' } })

  expect(await buy()).toBe('CONFIRMED')
  const [running, unread, open] = await metrics(
    'fairgate_operations_running{class="checkout"}',
    'fairgate_sockets_unread_bytes',
    'fairgate_sockets',
  )
  // None of the operations began that were sent to a socket with unread bytes.
  expect(running).toBe(0)
  expect(unread).toBeGreaterThan(3 * 3 * BOUNDS.unreadBytes)
  expect(unread).toBeLessThan(3 * 2 * BOUNDS.mostUnreadBytes)
  expect(open).toBe(deaf.length)
  expect(deaf.map(isFull)).toEqual(deaf.map(() => true))

  Object.assign(BOUNDS, { unreadSeconds: LONG ? unreadSeconds : 2 })
  await expect.poll(() => metric('fairgate_slow_sockets_total'), PATIENT).toBe(slow + deaf.length)
  const left = () => metrics('fairgate_sockets', 'fairgate_sockets_unread_bytes')
  await expect.poll(left, PATIENT).toEqual([0, 0])
  expect(await buy()).toBe('CONFIRMED')
})

test('a client that reads late gets every answer, in full', async () => {
  const late = await connect()
  late.tcp.pause()
  const sent = await fill(late)
  for (let i = 0; i < 10; i++) late.subscribe(`viewer-${i}`, '{ viewer { accountId } }')
  late.tcp.resume()
  const completed = () => late.received.filter(({ type }) => type === 'complete').length
  await expect.poll(completed, PATIENT).toBe(sent + 10)
  const layouts = late.received.filter(({ id, type }) => type === 'next' && id.startsWith('layout'))
  expect(layouts.map(({ payload }) => payload.data.event.sections[0].layout.length)).toEqual(
    layouts.map(() => 2_000),
  )
  late.ws.close()
})

test('pings that are not read fill no memory: they count as messages', async () => {
  const pinging = await connect()
  pinging.tcp.pause()
  for (let i = 0; i < 20_000; i++) pinging.ws.ping('x'.repeat(125))
  await expect.poll(() => metric('fairgate_sockets'), PATIENT).toBe(0)
})

test('a client that neither greets nor answers a close is gone within seconds', async () => {
  const silent = await Promise.all(Array.from({ length: 50 }, () => connect({ greets: false })))
  for (const { tcp } of silent) tcp.pause()
  expect(await buy()).toBe('CONFIRMED')
  // `ws` alone would wait thirty seconds for each close.
  await expect.poll(() => metric('fairgate_sockets'), { timeout: 15_000 }).toBe(0)
})

test('an address and an account have a bounded number of sockets; an honest fan beside them buys', async () => {
  const from = (address: string) => ({ headers: { 'x-forwarded-for': address } })
  const opened = async (address: string, count: number) => {
    const all = await Promise.allSettled(Array.from({ length: count }, () => connect(from(address))))
    const open = all.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    return { open, refused: count - open.length }
  }
  // Two addresses of one IPv6 network are one subscriber.
  const many = await opened('2001:db8:1::1', 30)
  expect(many.refused).toBe(0)
  expect((await opened('2001:db8:1::2', 10)).refused).toBe(10)
  expect(await metric('fairgate_sockets_refused_total{reason="address"}')).toBe(10)
  expect((await opened('192.0.2.1', 1)).refused).toBe(0)
  expect(await buy()).toBe('CONFIRMED')

  // The same address again and again: a storm of one client.
  for (const { ws } of many.open) ws.close()
  await expect.poll(() => metric('fairgate_sockets'), PATIENT).toBe(1)
  const storm = Promise.all(Array.from({ length: 300 }, () => opened('2001:db8:1::3', 1)))
  const refused = (await storm).reduce((sum, one) => sum + one.refused, 0)
  expect(refused).toBeGreaterThan(0)

  const account = `Bearer ${await token('greedy')}`
  const own = await Promise.all(
    Array.from({ length: BOUNDS.socketsOfAccount + 5 }, async (_, i) => {
      const client = await connect({ greets: false, ...from(`198.51.100.${i}`) })
      client.ws.send(JSON.stringify({ type: 'connection_init', payload: { authorization: account } }))
      return client
    }),
  )
  const answered = () =>
    own.filter(({ ws, received }) => received.length > 0 || ws.readyState === ws.CLOSED).length
  await expect.poll(answered, PATIENT).toBe(own.length)
  expect(own.filter(({ received }) => received.length > 0).length).toBe(BOUNDS.socketsOfAccount)
  const [last] = own.filter(({ ws }) => ws.readyState === ws.CLOSED)
  expect(await last?.closed).toBe(4429)
  // A socket that ends makes room.
  own.find(({ received }) => received.length > 0)?.ws.close()
  await expect.poll(() => metric('fairgate_sockets_refused_total{reason="account"}'), PATIENT).toBe(5)
  expect(await buy()).toBe('CONFIRMED')
  for (const { ws } of own) ws.terminate()
  await expect.poll(() => metric('fairgate_sockets'), PATIENT).toBeLessThan(60)
})

const CROWD = LONG ? 5_000 : 2_000

test(`${CROWD} sockets that reconnect at once from their own addresses are served, and a purchase beside them works`, async () => {
  const join = async (i: number) => {
    const client = await connect({ headers: { 'x-forwarded-for': `10.1.${i >> 8}.${i & 255}` } }).catch(
      () => null,
    )
    client?.subscribe('1', `subscription { saleUpdated(eventId: "${hall.id}") { state } }`)
    return client
  }
  const before = await metric('fairgate_sockets')
  const joining = Promise.all(Array.from({ length: CROWD }, (_, i) => join(i)))
  expect(await buy()).toBe('CONFIRMED')
  const crowd = await joining
  await expect.poll(() => metric('fairgate_broadcast_followers'), PATIENT).toBe(CROWD)
  expect(await metric('fairgate_broadcast_groups')).toBe(1)
  expect(await buy()).toBe('CONFIRMED')
  for (const client of crowd) client?.ws.terminate()
  await expect.poll(() => metric('fairgate_sockets'), PATIENT).toBeLessThanOrEqual(before)
  await expect.poll(() => metric('fairgate_broadcast_followers'), PATIENT).toBe(0)
  expect(await metric('fairgate_sockets_unread_bytes')).toBe(0)
})

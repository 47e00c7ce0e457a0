import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { randomId, solveAltcha } from '../../clients/sdk/index.ts'
import { apiProcesses } from '../support/apiProcess.ts'
import { cleanUp } from '../support/cleanUp.ts'
import { type AskOptions, testClient } from '../support/client.ts'
import { testDatabase } from '../support/database.ts'
import { insertEvent } from '../support/event.ts'
import { connections, type Flood, requests, sockets } from '../support/floods.ts'
import { LONG } from '../support/long.ts'
import { testRedis } from '../support/redis.ts'
import { testRoom } from '../support/room.ts'

/*
 * Floods of one server process, each with an honest fan beside it who joins the line, holds and pays again and again. The server has
 * its real limits. Whether a flood's connections get closed in time is tested where each limit is.
 */

const PATIENT = { timeout: 60_000 }
const VISITS = LONG ? 4 : 1
const times = (count: number) => (LONG ? 10 * count : count)

const db = await testDatabase()
const redis = await testRedis()
const start = await apiProcesses(db.url, redis.url, { DATABASE_POOL: '4', LOG_LEVEL: 'info' })
const { url, pid } = await start({
  preload: new URL('../support/collectGarbage.ts', import.meta.url).href,
})
const { ask, token } = testClient(url)
const hall = await insertEvent(db, { waitingRoom: true, rate: 500, sections: [{ seats: 2_000 }] })
const guarded = await insertEvent(db, {
  waitingRoom: true,
  opensInSeconds: 3_600,
  preQueueOpensInSeconds: -60,
})
await db.sql(`update sales set challenge = 'ALWAYS' where event_id = $1`, [guarded.id])

/** Calls the fans, as a worker does. */
const pacer = await testRoom({ db, redisUrl: redis.url })
let isOver = false
const calling = (async () => {
  while (!isOver) {
    await pacer.pacer.tick(hall.id)
    await sleep(100)
  }
})()
cleanUp(async () => {
  isOver = true
  await calling
  pacer.close()
})

const LAYOUT = `query ($id: ID!) { event(id: $id) { sections { layout {
  id key row number x y priceLevelId wheelchair companionOf } } } }`
const JOIN = `mutation ($event: ID!, $challenge: String) { joinQueue(input: { eventId: $event, challenge: $challenge }) {
  __typename ... on QueuePosition { queueToken } ... on ChallengeRequired { challenge } } }`
const POSITION = 'query ($token: String!) { queuePosition(queueToken: $token) { state admission { token } } }'
const HOLD = `mutation ($input: HoldInput!) { hold(input: $input) { __typename ... on Hold { id } } }`
const CHECKOUT = `mutation ($input: CheckoutInput!) { checkout(input: $input) { __typename ... on Order { state } } }`

let visits = 0
/** An honest fan: joins, waits for their turn, holds a seat and pays for it. Returns the order's state. */
async function visit(): Promise<string> {
  const n = visits++
  const fan: AskOptions = {
    token: await token(`fan-${n}`),
    device: randomId(),
    headers: { 'x-forwarded-for': `203.0.113.${n % 250}` },
  }
  // Only the join may be refused for a moment: it is the last class under a flood, and the client retries.
  let queueToken: string | undefined
  while (queueToken === undefined) {
    const { data, errors } = await ask(JOIN, { event: hall.id }, fan)
    queueToken = data?.joinQueue.queueToken
    if (queueToken) break
    expect(errors?.[0]?.extensions.code).toBe('OVERLOADED')
    await sleep(1_000 * errors?.[0]?.extensions.retryAfterSeconds)
  }
  let admission: string | undefined
  while (!admission) {
    const { data } = await ask(POSITION, { token: queueToken }, fan)
    admission = data.queuePosition.admission?.token
    if (!admission) await sleep(50)
  }
  const inside = { ...fan, admission }
  const selection = { seats: [hall.seatId(1 + 2 * n)] }
  const held = await ask(HOLD, { input: { eventId: hall.id, idempotencyKey: 'k', selection } }, inside)
  const input = { holdId: held.data.hold.id, paymentMethod: 'pm_card_visa', idempotencyKey: 'k' }
  return (await ask(CHECKOUT, { input }, inside)).data.checkout.state
}

/** What the server keeps after a collection of garbage, in megabytes. */
async function memory(): Promise<number> {
  process.kill(pid, 'SIGUSR2')
  const text = await (await fetch(`${url}/metrics`)).text()
  const bytes = (name: string) => Number(new RegExp(`^nodejs_${name}_bytes (\\S+)`, 'm').exec(text)?.[1])
  return (bytes('heap_size_used') + bytes('external_memory')) / 1_000_000
}

for (let i = 0; i < 3; i++) expect(await visit()).toBe('CONFIRMED')
const before = await memory()

const from = (address: string) => `x-forwarded-for: ${address}\r\n`
const post = (headers: string, body: string, length = body.length) =>
  `POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n${headers}content-length: ${length}\r\n\r\n${body}`
const operation = (query: string, variables = {}) => JSON.stringify({ query, variables })
/** One of forty networks. */
const network = (n: number) => `10.9.${n % 40}.1`
const subscribe = (id: string, query: string, variables = {}) => ({
  type: 'subscribe',
  id,
  payload: { query, variables },
})
const FOLLOW = `subscription { saleUpdated(eventId: "${hall.id}") { state available } }`
const ALIASED = `subscription { saleUpdated(eventId: "${hall.id}") { ${Array.from({ length: 30 }, (_, i) => `a${i}: available`).join(' ')} } }`

const FLOODS: [string, () => Flood | Promise<Flood>][] = [
  [
    'headers that come a byte at a time',
    () =>
      connections(url, {
        count: times(200),
        first: () => 'GET /healthz HTTP/1.1\r\nhost: x\r\nx-slow: ',
        again: 'x',
        returns: true,
      }),
  ],
  [
    'bodies that come slowly, and never whole',
    () =>
      connections(url, {
        count: times(200),
        first: (n) => post(from(network(n)), 'x'.repeat(50_000), 250_000),
        again: 'x'.repeat(100),
        returns: true,
      }),
  ],
  [
    "organizers' bodies of 32 MB, half sent",
    async () => {
      const authorization = `authorization: Bearer ${await token('olga', { roles: ['organizer'] })}\r\n`
      const half = 'x'.repeat(LONG ? 16_000_000 : 2_000_000)
      return connections(url, {
        count: 10,
        first: () => post(authorization, half, 32_000_000),
        returns: true,
      })
    },
  ],
  [
    'event streams that no client reads',
    () =>
      connections(url, {
        count: times(100),
        first: (n) => post(`${from(network(n))}accept: text/event-stream\r\n`, operation(FOLLOW)),
        isDeaf: true,
        returns: true,
      }),
  ],
  [
    'large answers that no client reads, 32 requested at once',
    () =>
      connections(url, {
        count: 20,
        first: (n) => post(from(network(n)), operation(LAYOUT, { id: hall.id })).repeat(32),
        isDeaf: true,
        returns: true,
      }),
  ],
  [
    'thousands of requests in one piece',
    () =>
      connections(url, {
        count: 20,
        first: () => 'GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(5_000),
        returns: true,
      }),
  ],
  [
    'sockets that never greet',
    () => sockets(url, { count: times(200), address: network, messages: null, isDeaf: true, returns: true }),
  ],
  [
    'sockets that follow a sale under hundreds of names',
    () =>
      sockets(url, {
        count: times(40),
        address: network,
        messages: Array.from({ length: 50 }, (_, i) => subscribe(`${i}`, ALIASED.replace('a0', `b${i}`))),
        returns: true,
      }),
  ],
  [
    'sockets that request the hall and read nothing',
    () =>
      sockets(url, {
        count: 20,
        address: network,
        messages: Array.from({ length: 40 }, (_, i) => subscribe(`${i}`, LAYOUT, { id: hall.id })),
        isDeaf: true,
        returns: true,
      }),
  ],
  [
    `${times(500)} sockets that reconnect at once, again and again`,
    async () => {
      const all = await sockets(url, {
        count: times(500),
        address: (n) => `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`,
        messages: [subscribe('1', FOLLOW)],
        returns: true,
      })
      const again = setInterval(all.reconnect, LONG ? 5_000 : 500)
      return () => {
        clearInterval(again)
        return all()
      }
    },
  ],
  [
    'joins of many accounts',
    async () => {
      const tokens = await Promise.all(Array.from({ length: 50 }, (_, n) => token(`hostile-${n}`)))
      return requests(100, (n) =>
        ask(
          JOIN,
          { event: guarded.id },
          { token: tokens[n % 50] as string, device: randomId(), headers: { 'x-forwarded-for': network(n) } },
        ),
      )
    },
  ],
]

test.each(FLOODS)('a fan joins, holds and pays beside %s', async (_what, flood) => {
  const end = await flood()
  try {
    for (let i = 0; i < VISITS; i++) expect(await visit()).toBe('CONFIRMED')
  } finally {
    await end()
  }
})

test('an answer to a challenge that is sent again and again gives one place, and a fan buys beside it', async () => {
  const solver: AskOptions = { token: await token('solver'), device: randomId() }
  const { data } = await ask(JOIN, { event: guarded.id }, solver)
  const challenge = await solveAltcha(data.joinQueue.challenge)
  const thieves = await Promise.all(Array.from({ length: 20 }, (_, n) => token(`thief-${n}`)))
  const end = requests(50, (n) =>
    ask(
      JOIN,
      { event: guarded.id, challenge },
      n % 5 === 0
        ? solver
        : {
            token: thieves[n % 20] as string,
            device: randomId(),
            headers: { 'x-forwarded-for': network(n) },
          },
    ),
  )
  for (let i = 0; i < VISITS; i++) expect(await visit()).toBe('CONFIRMED')
  await end()
  const places = await db.sql('select count(*)::int as count from places where event_id = $1', [guarded.id])
  expect(places).toEqual([{ count: 1 }])
})

test('after all floods the server keeps no more than before them', async () => {
  // The caches of documents, addresses and joins that floods fill are bounded.
  await expect.poll(memory, { ...PATIENT, interval: 1_000 }).toBeLessThan(before + 25)
  const text = await (await fetch(`${url}/metrics`)).text()
  expect(text).toMatch(/^fairgate_masked_errors_total 0$/m)
})

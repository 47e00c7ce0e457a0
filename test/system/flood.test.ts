import { Agent, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { type Class, type Limits, limitsFor } from '../../src/server/graphql/priority.ts'
import { createHttp } from '../../src/server/http/http.ts'
import { createServerParts } from '../../src/server/index.ts'
import { createSockets } from '../../src/server/sockets/sockets.ts'
import { cleanUp } from '../support/cleanUp.ts'
import { testClient } from '../support/client.ts'
import { insertEvent } from '../support/event.ts'
import { sideBySide } from '../support/holds.ts'
import { type Json, testServer } from '../support/server.ts'

const FANS = 600
const HOLDS = 60

const { app, db } = await testServer()
const { identities } = createServerParts(app)
/** The API with limits that a test can reach. */
async function serverWith(joins: Limits) {
  const limits: Record<Class, Limits> = { ...limitsFor(app.env.databasePool), joins }
  const parts = createServerParts(app, limits)
  const { metrics, priority } = parts
  const traffic = { isDraining: () => false, isClosing: () => false, begin() {}, end() {} }
  const http: Server = createHttp({ ...parts, traffic })
  const sockets = createSockets(parts)
  sockets.attach(http)
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  cleanUp(async () => {
    await sockets.close()
    http.closeAllConnections()
    http.close()
  })
  return { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`, metrics, priority }
}

const tokenOf = (account: string) =>
  identities.issue({ account, email: `${account}@example.com`, emailVerified: true, roles: [] })

const agent = new Agent({ keepAlive: true, maxSockets: 200 })
afterAll(() => agent.destroy())

function post(url: string, query: string, variables: object, headers: object): Promise<Json> {
  return new Promise((resolve, reject) => {
    const all = { 'content-type': 'application/json', ...headers }
    const sent = request(`${url}/graphql`, { method: 'POST', agent, headers: all }, async (response) => {
      const body = JSON.parse((await response.setEncoding('utf8').toArray()).join(''))
      resolve({ status: response.statusCode, retryAfter: response.headers['retry-after'], ...body })
    })
    sent.on('error', reject)
    sent.end(JSON.stringify({ query, variables }))
  })
}

const JOIN = `mutation ($eventId: ID!) { joinQueue(input: { eventId: $eventId }) {
  __typename ... on QueuePosition { arrival } } }`
const HOLD = 'mutation ($input: HoldInput!) { hold(input: $input) { __typename } }'

test('a flood of joins does not stop holds; every refused fan gets a place on retry, and no fan gets two', async () => {
  const { url, metrics, priority } = await serverWith({ running: 20, mostWaiting: 50, patienceSeconds: 1 })
  const line = await insertEvent(
    db,
    { waitingRoom: true, preQueueOpensInSeconds: -60, opensInSeconds: 3_600 },
    db,
  )
  const hall = await insertEvent(db, { sections: [{ seats: HOLDS }] })
  const fans = await sideBySide(FANS, 50, async (i) => ({
    authorization: `Bearer ${await tokenOf(`fan-${i}`)}`,
    'device-id': `device-of-fan-${i}-0123456789`,
    'x-forwarded-for': `10.0.${i >> 8}.${i & 255}`,
  }))
  const holders = await sideBySide(HOLDS, 20, async (i) => ({
    authorization: `Bearer ${await tokenOf(`holder-${i}`)}`,
    'device-id': `device-of-holder-${i}`,
  }))
  let refused = 0

  async function join(headers: object): Promise<number> {
    for (;;) {
      const { status, retryAfter, data, errors } = await post(url, JOIN, { eventId: line.id }, headers)
      if (data) return data.joinQueue.arrival
      const [{ extensions }] = errors
      expect(extensions).toEqual({ code: 'OVERLOADED', retryAfterSeconds: expect.any(Number) })
      // 200: the join had begun, and waited too long for the copy of the places. It was not turned away.
      if (status !== 200) {
        refused++
        expect([status, retryAfter]).toEqual([503, String(extensions.retryAfterSeconds)])
      }
      await sleep(extensions.retryAfterSeconds * 1_000)
    }
  }

  const joining = Promise.all(fans.map(join))
  const held = await sideBySide(HOLDS, 4, (i) =>
    post(
      url,
      HOLD,
      { input: { eventId: hall.id, idempotencyKey: `key-${i}`, selection: { seats: [hall.seatId(i + 1)] } } },
      holders[i] as object,
    ),
  )
  for (const answer of held)
    expect(answer).toMatchObject({ status: 200, data: { hold: { __typename: 'Hold' } } })
  const arrivals = await joining
  expect(refused).toBeGreaterThan(0)
  expect(new Set(arrivals).size).toBe(FANS)
  const [places] = await db.sql<{ places: number; accounts: number }>(
    'select count(*)::int places, count(distinct account)::int accounts from places where event_id = $1',
    [line.id],
  )
  expect(places).toEqual({ places: FANS, accounts: FANS })
  expect((await metrics.read()).text).toContain(
    `fairgate_operations_turned_away_total{class="joins"} ${refused}`,
  )
  expect(priority.figures().every(({ underWay, waiting }) => underWay === 0 && waiting === 0)).toBe(true)
})

test('sockets have the same limits: an operation over the limit is refused, the socket stays, and a cancelled operation never starts', async () => {
  const { url, priority } = await serverWith({ running: 1, mostWaiting: 1, patienceSeconds: 60 })
  const line = await insertEvent(
    db,
    { waitingRoom: true, preQueueOpensInSeconds: -60, opensInSeconds: 3_600 },
    db,
  )
  const client = testClient(url).socket({
    authorization: `Bearer ${await tokenOf('sue')}`,
    deviceId: 'device-of-sue-0123456789',
  })
  const ask = (query: string, variables = {}) =>
    new Promise<Json>((resolve) => {
      client.subscribe({ query, variables }, { next: resolve, error: resolve, complete() {} })
    })
  expect((await ask('{ viewer { accountId } }')).data.viewer).not.toBeNull()
  const busy = Promise.withResolvers<void>()
  const running = priority.run('joins', () => busy.promise)

  let answers = 0
  const leave = client.subscribe(
    { query: JOIN, variables: { eventId: line.id } },
    { next: () => answers++, error: () => answers++, complete() {} },
  )
  await expect.poll(() => priority.figures().find((share) => share.class === 'joins')?.waiting).toBe(1)
  const [refusal] = await ask(JOIN, { eventId: line.id })
  expect(refusal.extensions).toEqual({ code: 'OVERLOADED', retryAfterSeconds: expect.any(Number) })
  leave()
  // A later operation is answered, so the cancellation has arrived.
  expect((await ask('{ viewer { accountId } }')).data.viewer).not.toBeNull()
  busy.resolve()
  await running
  await expect
    .poll(() => priority.figures().find((share) => share.class === 'joins'))
    .toMatchObject({ waiting: 0, underWay: 0 })
  expect(answers).toBe(0)
  expect(await db.sql('select from places where event_id = $1', [line.id])).toEqual([])
  expect((await ask(JOIN, { eventId: line.id })).data.joinQueue.arrival).toBe(1)
})

test('a request is authenticated only after the limits have accepted it', async () => {
  const { url } = await serverWith({ running: 0, mostWaiting: 0, patienceSeconds: 1 })
  const answer = await post(url, JOIN, { eventId: 'evt_x' }, { authorization: 'Bearer nonsense' })
  expect(answer.errors[0].extensions.code).toBe('OVERLOADED')
})

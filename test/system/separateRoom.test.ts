import { execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Redis } from 'ioredis'
import pg from 'pg'
import { afterAll, expect, test } from 'vitest'
import { keys } from '../../src/redis/keys.ts'
import { apiProcesses, writeKeys } from '../support/apiProcess.ts'
import { testDatabase } from '../support/database.ts'
import { testPostgres } from '../support/postgres.ts'
import { testRedis } from '../support/redis.ts'
import type { Json } from '../support/server.ts'
import { stadium } from '../support/stadium.ts'

const db = await testDatabase()
const redis = await testRedis()
const queueServer = await testPostgres()
const roomRedis = await testRedis()
const queueUrl = new URL(queueServer.url)
queueUrl.pathname = '/room_apart'
const stores = {
  DATABASE_URL: db.url,
  REDIS_URL: redis.url,
  QUEUE_DATABASE_URL: queueUrl.href,
  QUEUE_REDIS_URL: roomRedis.url,
}

/** Counts the statements that the room's own server receives. */
const admin = new pg.Client({ connectionString: queueServer.url })
await admin.connect()
await admin.query('create database room_apart')
const queue = new pg.Client({ connectionString: queueUrl.href })
afterAll(async () => {
  await queue.end()
  await admin.end()
})

const script = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))

const migrated = execFileSync(process.execPath, [script('scripts/migrate.ts')], {
  env: { ...process.env, ...stores },
  encoding: 'utf8',
})
await queue.connect()
const keysFile = await writeKeys()
const startApi = await apiProcesses(db.url, redis.url, stores)
const [booking, room] = [await startApi({ keysFile }), await startApi({ keysFile })]
const worker = fork(script('src/worker.ts'), {
  stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  env: { ...process.env, ...stores, EMBEDDED: 'true', KEYS_FILE: keysFile },
})
afterAll(async () => {
  const exited = once(worker, 'exit')
  worker.kill('SIGKILL')
  await exited
})
await once(worker, 'message')

const CREATE = `mutation ($input: CreateEventInput!) { createEvent(input: $input) { id } }`
const POSITION = 'state queueToken arrival place admission { token }'
const JOIN = `mutation ($input: JoinQueueInput!) { joinQueue(input: $input) { ... on QueuePosition { ${POSITION} } } }`
const ASK = `query ($queueToken: String!) { queuePosition(queueToken: $queueToken) { ${POSITION} } }`
const MINE = `query ($eventId: ID!) { viewer { queuePosition(eventId: $eventId) { state arrival } } }`
const HOLD = `mutation ($input: HoldInput!) { hold(input: $input) { __typename ... on Hold { id } } }`
const CHECKOUT = `mutation ($input: CheckoutInput!) { checkout(input: $input) {
  __typename ... on Order { id state tickets { id } } } }`

test('a waiting room with its own processes, Redis and database: fans join there and buy from booking', async () => {
  expect(migrated).toMatch(/^DATABASE_URL: is up to date.*\nQUEUE_DATABASE_URL: migrations applied: /)

  async function token(account: string, more = {}): Promise<string> {
    const answer = await fetch(`${booking.url}/dev/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ account, ...more }),
    })
    return ((await answer.json()) as { token: string }).token
  }
  async function ask(url: string, query: string, variables: object, headers: Record<string, string>) {
    const answer = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ query, variables }),
    })
    const { data, errors } = (await answer.json()) as Json
    expect(errors).toBeUndefined()
    return data
  }

  const organizer = { authorization: `Bearer ${await token('olga', { roles: ['organizer'] })}` }
  const input = {
    slug: 'apart',
    name: 'The Night',
    startsAt: '2030-06-01T20:00:00+02:00',
    timeZone: 'Europe/Berlin',
    venue: { name: 'Stadium' },
    seatingPlan: stadium({ sections: 2, rows: 3, seatsPerRow: 5 }),
    prices: ['Lower', 'Middle', 'Upper'].map((category) => ({ category, price: 5_000 })),
    currency: 'EUR',
    sale: { opensAt: new Date(Date.now() - 60_000).toISOString() },
  }
  const { id: eventId } = (await ask(booking.url, CREATE, { input }, organizer)).createEvent

  const fan = { authorization: `Bearer ${await token('ana')}`, 'device-id': 'phone of ana' }
  const joined = (await ask(room.url, JOIN, { input: { eventId } }, fan)).joinQueue
  expect(joined).toMatchObject({ arrival: 1, place: 1 })
  // The worker's pacer calls the place, and every process receives it.
  let position = joined
  while (position.state === 'WAITING') {
    await sleep(200)
    position = (await ask(room.url, ASK, { queueToken: joined.queueToken }, fan)).queuePosition
  }
  expect(position).toMatchObject({ state: 'ADMITTED', admission: { token: expect.any(String) } })
  expect((await ask(booking.url, MINE, { eventId }, fan)).viewer.queuePosition).toEqual({
    state: 'ADMITTED',
    arrival: 1,
  })

  const inside = { ...fan, 'admission-token': position.admission.token }
  const selection = { seats: ['101-1-1', '101-1-2'] }
  const { hold } = await ask(
    booking.url,
    HOLD,
    { input: { eventId, selection, idempotencyKey: 'hold' } },
    inside,
  )
  expect(hold.__typename).toBe('Hold')
  const pay = { input: { holdId: hold.id, paymentMethod: 'pm_card_visa', idempotencyKey: 'pay' } }
  const order = (await ask(booking.url, CHECKOUT, pay, inside)).checkout
  expect(order).toMatchObject({ __typename: 'Order', state: 'CONFIRMED', tickets: [{}, {}] })
  const finished = (await ask(room.url, ASK, { queueToken: joined.queueToken }, fan)).queuePosition
  expect(finished.state).toBe('FINISHED')

  // Each store has its own part and nothing of the other's.
  const counts = async (ask: (text: string) => Promise<Json[]>) => {
    const [row] =
      await ask(`select (select count(*) from rooms)::int as rooms, (select count(*) from places)::int as places,
      (select count(*) from calls)::int as calls, (select count(*) from events)::int as events,
      (select count(*) from admissions)::int as admissions, (select count(*) from tickets)::int as tickets`)
    return row
  }
  expect(await counts(async (text) => (await queue.query(text)).rows)).toEqual({
    rooms: 1,
    places: 1,
    calls: 1,
    events: 0,
    admissions: 0,
    tickets: 0,
  })
  expect(await counts((text) => db.sql(text))).toEqual({
    rooms: 0,
    places: 0,
    calls: 0,
    events: 1,
    admissions: 1,
    tickets: 2,
  })
  const [atBooking, atRoom] = [new Redis(redis.url), new Redis(roomRedis.url)]
  expect(await atRoom.get(keys.arrivals(eventId))).toBe('1')
  expect(await atBooking.exists(keys.arrivals(eventId), keys.placesMark(eventId))).toBe(0)
  expect(await atRoom.keys(`${keys.sections(eventId)}*`)).toEqual([])
  atBooking.disconnect()
  atRoom.disconnect()
})

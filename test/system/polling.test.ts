import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, test, vi } from 'vitest'
import { createDatabase } from '../../src/sql/database/database.ts'
import { insertEvent, type TestEventOptions } from '../support/event.ts'
import { testPostgres } from '../support/postgres.ts'
import { fan, fillLine } from '../support/room.ts'
import { testServer } from '../support/server.ts'

const POSITION = 'query ($t: String!) { queuePosition(queueToken: $t) { state place position paused } }'

const postgres = await testPostgres()
const { app, url, redis, ask } = await testServer({ DATABASE_URL: postgres.url })
const db = createDatabase(postgres.url)
afterAll(() => db.close())

const preQueue = { preQueueOpensInSeconds: -60, opensInSeconds: 3_600 }
/** Every state in which a fan waits, and the answer to a poll there. */
const WHERE = [
  ['a fan in the line', {}, { state: 'WAITING', place: 1, paused: false }],
  ['a fan before the opening', preQueue, { state: 'PRE_QUEUE', place: null }],
  ['a fan while the sale is paused', { paused: true }, { state: 'WAITING', place: 1, paused: true }],
  [
    'a fan whose draw waits for public randomness',
    { beaconSource: 'the lottery of Saturday' },
    { state: 'PRE_QUEUE', place: null },
  ],
] as const

async function waiting(options: TestEventOptions, expected: object) {
  const event = await insertEvent(db, { waitingRoom: true, ...options })
  const who = fan()
  const [t] = await fillLine(app, event.id, [who])
  const poll = async () =>
    (await ask(POSITION, { t }, { device: who.deviceId as string })).data?.queuePosition
  await expect.poll(poll, { timeout: 10_000 }).toMatchObject(expected)
  return { event, poll, place: await poll() }
}

test.each(WHERE)('however often %s polls, no store is read', async (_, options, expected) => {
  const { poll, place } = await waiting(options, expected)
  const spies = [
    vi.spyOn(app.db.pool, 'query'),
    vi.spyOn(app.db.pool, 'connect'),
    vi.spyOn(app.redis, 'sendCommand'),
  ]
  const reads = () => spies.reduce((sum, { mock }) => sum + mock.calls.length, 0)
  // What the process reads by itself, for the few events here.
  await sleep(1_000)
  const byItself = reads()
  const began = performance.now()
  for (let sent = 0; sent < 1_000; sent += 50)
    expect(await Promise.all(Array.from({ length: 50 }, poll))).toEqual(Array(50).fill(place))
  const seconds = (performance.now() - began) / 1_000
  const meanwhile = reads() - byItself
  vi.restoreAllMocks()
  console.log(
    `the stores were read ${byItself} times in a second, and ${meanwhile} times in ${seconds.toFixed(2)} s with 1,000 polls`,
  )
  expect(meanwhile).toBeLessThanOrEqual(2 * byItself * (seconds + 1) + 100)
})

test('with PostgreSQL and Redis stopped every waiting fan still gets an answer, and so does a reader of the public state', async () => {
  const lines = await Promise.all(WHERE.map(([, options, expected]) => waiting(options, expected)))
  const [{ event }] = lines as [(typeof lines)[0]]
  const pollAll = async () => {
    for (const { poll, place } of lines) expect(await poll()).toEqual(place)
  }
  const readState = async () => (await fetch(`${url}/events/${event.id}/waiting-room.json`)).json()
  const state = await readState()
  postgres.hang()
  redis.hang()
  try {
    // A poll that needed a statement would wait for many seconds and then be refused.
    for (let second = 0; second < 6; second++) {
      for (let polls = 0; polls < 25; polls++) await pollAll()
      expect(await readState()).toMatchObject({ eventId: event.id, state: 'ON_SALE' })
      await sleep(1_000)
    }
    const made = Array.from(
      { length: 300 },
      (_, i) => `${event.id.slice(0, -3)}${String(i).padStart(3, '0')}`,
    )
    for (const id of made) fetch(`${url}/events/${id}/waiting-room.json`).catch(() => {})
    await sleep(1_000)
    expect(await readState()).toMatchObject({ eventId: event.id, state: 'ON_SALE' })
  } finally {
    postgres.resume()
    redis.resume()
  }
  await pollAll()
  await expect.poll(readState, { timeout: 30_000 }).not.toMatchObject({ asOf: state.asOf })
}, 60_000)

import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { createDatabase } from '../../src/sql/database.ts'
import { insertEvent } from '../support/event.ts'
import { testPostgres } from '../support/postgres.ts'
import { testServer } from '../support/server.ts'

const POSITION =
  'query ($queueToken: String!) { queuePosition(queueToken: $queueToken) { state place position } }'
const JOIN = `mutation ($input: JoinQueueInput!) { joinQueue(input: $input) {
  ... on QueuePosition { queueToken } ... on Refusal { message } } }`

const postgres = await testPostgres()
const { app, url, redis, ask, token } = await testServer({ DATABASE_URL: postgres.url })
const db = createDatabase(postgres.url)
const event = await insertEvent(db, { waitingRoom: true })
await db.close()

async function waiting() {
  const options = { token: await token(), device: 'phone' }
  const { data } = await ask(JOIN, { input: { eventId: event.id } }, options)
  const { queueToken } = data.joinQueue
  const poll = async () => (await ask(POSITION, { queueToken }, options)).data?.queuePosition
  await expect.poll(async () => (await poll()).state, { timeout: 10_000 }).toBe('WAITING')
  return { poll, place: await poll() }
}

test('polls of one who waits ask no store, however many they are', async () => {
  const { poll, place } = await waiting()
  const queries = vi.spyOn(app.db.pool, 'query')
  const connections = vi.spyOn(app.db.pool, 'connect')
  const commands = vi.spyOn(app.redis, 'sendCommand')
  const polls = 1_000
  for (let asked = 0; asked < polls; asked += 50) {
    const answers = await Promise.all(Array.from({ length: 50 }, poll))
    expect(answers).toEqual(Array(50).fill(place))
  }
  // What this process reads each second, whoever polls.
  const asked = [queries, connections, commands].reduce((sum, { mock }) => sum + mock.calls.length, 0)
  expect(asked).toBeLessThan(polls / 2)
  vi.restoreAllMocks()
})

test('with PostgreSQL and Redis stopped, those who wait are answered all the same, and so is who asks for the public state', async () => {
  const { poll, place } = await waiting()
  const readState = async () => (await fetch(`${url}/events/${event.id}/waiting-room.json`)).json()
  const state = await readState()
  postgres.hang()
  redis.hang()
  try {
    // A statement that any of them waited for would be given up after many seconds, and refused then.
    for (let second = 0; second < 6; second++) {
      for (let polls = 0; polls < 50; polls++) expect(await poll()).toEqual(place)
      expect(await readState()).toMatchObject({ id: event.id, state: 'ON_SALE' })
      await sleep(1_000)
    }
    const made = Array.from(
      { length: 300 },
      (_, i) => `${event.id.slice(0, -3)}${String(i).padStart(3, '0')}`,
    )
    for (const id of made) fetch(`${url}/events/${id}/waiting-room.json`).catch(() => {})
    await sleep(1_000)
    expect(await readState()).toMatchObject({ id: event.id, state: 'ON_SALE' })
  } finally {
    postgres.resume()
    redis.resume()
  }
  expect(await poll()).toEqual(place)
  await expect.poll(readState, { timeout: 30_000 }).not.toMatchObject({ asOf: state.asOf })
}, 60_000)

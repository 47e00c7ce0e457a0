import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from 'graphql-ws'
import { afterAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { drawPlaces } from '../../src/sale/draw/draw.ts'
import { type ApiProcess, apiProcesses } from '../support/apiProcess.ts'
import { testDatabase } from '../support/database.ts'
import { insertEvent } from '../support/event.ts'
import { testRedis } from '../support/redis.ts'

const db = await testDatabase()
const redis = await testRedis()
const startApi = await apiProcesses(db.url, redis.url)
const sockets: ReturnType<typeof createClient>[] = []
afterAll(() => Promise.all(sockets.map((socket) => socket.dispose())))

const JOIN = `mutation ($id: ID!) { joinQueue(input: { eventId: $id }) {
  ... on QueuePosition { arrival queueToken state } } }`
const FIELDS = 'queuePosition(queueToken: $token) { arrival place state }'

interface Position {
  arrival: number
  place: number | null
  state: string
}

interface Fan {
  name: string
  queueToken: string
}

async function ask<Data>(api: ApiProcess, device: string, query: string, variables: object, token?: string) {
  const response = await fetch(`${api.url}/graphql`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'device-id': device,
      ...(token && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({ query, variables }),
  })
  return ((await response.json()) as { data: Data }).data
}

async function join(api: ApiProcess, name: string, id: string): Promise<Fan & { arrival: number }> {
  const account = { account: name, emailVerified: true }
  const response = await fetch(`${api.url}/dev/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(account),
  })
  const { token } = (await response.json()) as { token: string }
  const { joinQueue } = await ask<{ joinQueue: Fan & { arrival: number } }>(api, name, JOIN, { id }, token)
  return { ...joinQueue, name }
}

const poll = async (api: ApiProcess, { name, queueToken }: Fan) =>
  (
    await ask<{ queuePosition: Position }>(api, name, `query ($token: String!) { ${FIELDS} }`, {
      token: queueToken,
    })
  ).queuePosition

/** Every update of its place that a socket receives. */
function listen(api: ApiProcess, { name, queueToken }: Fan): Position[] {
  const updates: Position[] = []
  const url = `${api.url.replace('http', 'ws')}/graphql`
  const socket = createClient({
    url,
    webSocketImpl: WebSocket,
    connectionParams: { deviceId: name },
    retryAttempts: 0,
  })
  sockets.push(socket)
  socket.subscribe<{ queuePosition: Position }>(
    { query: `subscription ($token: String!) { ${FIELDS} }`, variables: { token: queueToken } },
    {
      next: ({ data }) => data && updates.push(data.queuePosition),
      error: () => {},
      complete: () => {},
    },
  )
  return updates
}

test('API processes draw once without a worker, though one of them is killed at the opening; every socket, poll and later process has the result', async () => {
  const [doomed, second, third] = await Promise.all([startApi(), startApi(), startApi()])
  const event = await insertEvent(db, {
    waitingRoom: true,
    preQueueOpensInSeconds: -60,
    opensInSeconds: 3_600,
  })
  const apis = [doomed, second, third] as [ApiProcess, ApiProcess, ApiProcess]
  const fans = await Promise.all(
    Array.from({ length: 30 }, (_, i) => join(apis[i % 3] as ApiProcess, `fan-${i}`, event.id)),
  )
  expect(fans.map(({ arrival }) => arrival).sort((a, b) => a - b)).toEqual(fans.map((_, i) => i + 1))
  const updates = fans.map((fan, i) => listen(i % 2 ? second : third, fan))
  await expect
    .poll(() => updates.every((list) => list.at(-1)?.state === 'PRE_QUEUE'), { timeout: 5_000 })
    .toBe(true)

  // The servers read the sale once a second.
  const opensAt = new Date(Date.now() + 2_000)
  for (const table of ['sales', 'rooms'])
    await db.sql(`update ${table} set opens_at = $2 where event_id = $1`, [event.id, opensAt])
  // The requests arrive at the moment at which one of the processes dies.
  await sleep(opensAt.getTime() - Date.now())
  const polls = fans.map((fan) => poll(doomed, fan).catch(() => null))
  await doomed.kill()
  await Promise.all(polls)

  await expect
    .poll(() => updates.every((list) => list.at(-1)?.state === 'WAITING'), { timeout: 10_000 })
    .toBe(true)
  const [room] = await db.sql(`select size, encode(seed, 'hex') as seed from rooms where event_id = $1`, [
    event.id,
  ])
  const { size, seed } = room as { size: number; seed: string }
  expect(size).toBe(30)
  const places = drawPlaces({ eventId: event.id, seed, size, beacon: '' })
  const later = await startApi()
  for (const [i, fan] of fans.entries()) {
    const place = places[fan.arrival - 1] as number
    expect(updates[i]?.at(-1)).toEqual({ arrival: fan.arrival, place, state: 'WAITING' })
    for (const api of [second, third, later]) expect((await poll(api, fan)).place).toBe(place)
  }
  const late = await join(later, 'late', event.id)
  expect(await poll(third, late)).toMatchObject({ arrival: 31, place: 31 })
  const published = await fetch(`${later.url}/events/${event.id}/waiting-room.json`)
  expect(await published.json()).toMatchObject({ waitingRoom: { draw: { seed, size: 30 } } })
})

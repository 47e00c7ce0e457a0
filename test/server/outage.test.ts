import { expect, test } from 'vitest'
import { insertEvent } from '../support/event.ts'
import { testServer } from '../support/server.ts'

const { url, redis, db, ask, token } = await testServer()
const event = await insertEvent(db, { waitingRoom: true })
const fan = { token: await token(), device: 'phone' }

test('with Redis gone the process is not ready, joining says when to come back, browsing goes on', async () => {
  const browse = `query ($id: ID!) { event(id: $id) { name sale { state available } sections { layout { id } } } }`
  expect((await ask(browse, { id: event.id })).errors).toBeUndefined()
  await redis.kill()

  const ready = await fetch(`${url}/readyz`)
  expect([ready.status, await ready.json()]).toMatchObject([
    503,
    { parts: { database: 'ok', migrations: 'ok' } },
  ])
  expect((await fetch(`${url}/healthz`)).status).toBe(200)
  const join = `mutation ($id: ID!) { joinQueue(input: { eventId: $id }) { __typename } }`
  const refused = await ask(join, { id: event.id }, fan)
  expect([refused.status, refused.errors?.[0]?.extensions.code]).toEqual([503, 'OVERLOADED'])
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect((await ask(browse, { id: event.id })).errors).toBeUndefined()
  expect((await fetch(`${url}/events/${event.id}/waiting-room.json`)).status).toBe(200)

  await redis.restart('lost')
  await expect.poll(async () => (await fetch(`${url}/readyz`)).status, { timeout: 10_000 }).toBe(200)
  await expect
    .poll(async () => (await ask(join, { id: event.id }, fan)).data?.joinQueue, { timeout: 10_000 })
    .toEqual({ __typename: 'QueuePosition' })
})

import { expect, test } from 'vitest'
import { insertEvent } from '../support/event.ts'
import { type Json, testServer } from '../support/server.ts'

const { url, redis, db, ask, token } = await testServer()
const event = await insertEvent(db, { waitingRoom: true })
const fan = { token: await token(), device: 'phone' }

test('with Redis gone the process says so and stays ready, joining says when to come back, browsing goes on', async () => {
  const browse = `query ($id: ID!) { event(id: $id) { name sale { state available } sections { layout { id } } } }`
  expect((await ask(browse, { id: event.id })).errors).toBeUndefined()
  await redis.kill()

  const ready = await fetch(`${url}/readyz`)
  expect([ready.status, await ready.json()]).toMatchObject([
    200,
    { ready: true, parts: { database: 'ok', redis: 'degraded: fails', queueRedis: 'degraded: fails' } },
  ])
  expect((await fetch(`${url}/healthz`)).status).toBe(200)
  const join = `mutation ($id: ID!) { joinQueue(input: { eventId: $id }) { __typename } }`
  const refused = await ask(join, { id: event.id }, fan)
  expect([refused.status, refused.errors?.[0]?.extensions.code]).toEqual([503, 'OVERLOADED'])
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect((await ask(browse, { id: event.id })).errors).toBeUndefined()
  expect((await fetch(`${url}/events/${event.id}/waiting-room.json`)).status).toBe(200)

  await redis.restart('lost')
  await expect
    .poll(async () => ((await (await fetch(`${url}/readyz`)).json()) as Json).parts.redis, {
      timeout: 10_000,
    })
    .toBe('ok')
  await expect
    .poll(async () => (await ask(join, { id: event.id }, fan)).data?.joinQueue, { timeout: 10_000 })
    .toEqual({ __typename: 'QueuePosition' })
})

import { expect, test } from 'vitest'
import { insertEvent } from '../support/event.ts'
import { type Json, testServer } from '../support/server.ts'

const { url, redis, db, ask, token } = await testServer()
const event = await insertEvent(db, { waitingRoom: true })
const open = await insertEvent(db, { sections: [{ seats: 40 }, { places: 50 }] })
const fan = { token: await token(), device: 'phone' }

const HOLD = `mutation ($input: HoldInput!) { hold(input: $input) {
  __typename ... on Hold { id items { seat { key } section { key } } } } }`
const PAY = `mutation ($input: CheckoutInput!) { checkout(input: $input) { __typename ... on Order { state } } }`
const MAP = `query ($id: ID!) { event(id: $id) { sale { available held }
  sections { availability { available statuses version } } } }`

test('without Redis the process stays ready and reports it, joins are refused with a time to retry, and browsing goes on', async () => {
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

test('without Redis every kind of hold and payment works; the map has counts and no statuses', async () => {
  const hold = async (selection: object) => {
    const input = { eventId: open.id, selection, idempotencyKey: JSON.stringify(selection) }
    return (await ask(HOLD, { input }, fan)).data.hold as Json
  }
  const map = async () => {
    const { sale, sections } = (await ask(MAP, { id: open.id })).data.event
    return { sale, sections: sections.map(({ availability }: Json) => availability) }
  }
  expect((await map()).sections).toMatchObject([
    { available: 40, statuses: expect.any(String) },
    { available: 50, statuses: null },
  ])
  await redis.kill()

  const best = await hold({ bestAvailable: { quantity: 3 } })
  expect(best.items.map(({ seat }: Json) => seat.key)).toEqual(['A-1-1', 'A-1-2', 'A-1-3'])
  const places = await hold({ generalAdmission: { sectionId: open.sectionId(2), quantity: 2 } })
  expect(places.items.map(({ section }: Json) => section.key)).toEqual(['B', 'B'])
  expect((await hold({ seats: [open.seatId(4)] })).items).toMatchObject([{ seat: { key: 'A-1-4' } }])
  const input = { holdId: best.id, paymentMethod: 'pm_card_visa', idempotencyKey: 'pay' }
  expect((await ask(PAY, { input }, fan)).data.checkout).toEqual({ __typename: 'Order', state: 'CONFIRMED' })

  // Counts without Redis may be two seconds old.
  await expect.poll(map, { timeout: 20_000 }).toEqual({
    sale: { available: 84, held: 3 },
    sections: [
      { available: 36, statuses: null, version: expect.any(Number) },
      { available: 48, statuses: null, version: expect.any(Number) },
    ],
  })
  const before = await map()

  await redis.restart('lost')
  await expect
    .poll(async () => (await map()).sections[0].statuses, { timeout: 20_000 })
    .toEqual(Buffer.from([0b10_10_10_01, ...Array(9).fill(0)]).toString('base64'))
  const after = await map()
  for (const [i, { available, version }] of after.sections.entries()) {
    expect(available).toBe(before.sections[i].available)
    expect(version).toBeGreaterThanOrEqual(before.sections[i].version)
  }
})

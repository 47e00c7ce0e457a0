import { randomUUID } from 'node:crypto'
import { afterAll, expect, test } from 'vitest'
import { makeKeys } from '../../src/keys.ts'
import { deviceDigest } from '../../src/sale/tokens/digests.ts'
import { apiProcesses, writeKeys } from '../support/apiProcess.ts'
import { type Json, testClient } from '../support/client.ts'
import { testDatabase } from '../support/database.ts'
import { insertEvent, type TestEvent } from '../support/event.ts'
import { placeSockets } from '../support/placeSocket.ts'
import { testRedis } from '../support/redis.ts'
import { fan, fillLine, nextTick, type TestFan, testRoom } from '../support/room.ts'

/** Every waiting client learns a change within this time. */
const WITHIN_MS = 10_000
const WAITING = 1_000

const db = await testDatabase()
const redis = await testRedis()
const keys = await makeKeys()
const startApi = await apiProcesses(db.url, redis.url)
const keysFile = await writeKeys(keys)
// The changes go to the first process; half of the waiting clients are connected to the second.
const urls = (await Promise.all([startApi({ keysFile }), startApi({ keysFile })])).map(({ url }) => url) as [
  string,
  string,
]
const clients = urls.map((url) => testClient(url))
const { ask, token } = clients[0] as (typeof clients)[0]
const room = await testRoom({ db, redisUrl: redis.url, keysFile: keys })
afterAll(() => room.close())
const staff = { token: await token('olga', { roles: ['organizer', 'ops'] }) }
const follow = placeSockets('state place')

const POSITION = 'query ($t: String!) { queuePosition(queueToken: $t) { state place } }'
const HOLD = 'mutation ($input: HoldInput!) { hold(input: $input) { __typename ... on Hold { id } } }'
const JOIN = `mutation ($id: ID!) { joinQueue(input: { eventId: $id }) {
  __typename ... on QueuePosition { state } ... on SaleOver { saleState } } }`

interface Waiting {
  readonly fan: TestFan
  readonly queueToken: string
  /** The last value that it received. */
  last: Json
}

/** A thousand waiting fans, each on their own socket. The rate is 0, so no fan is called. */
async function crowd(options: object) {
  const event = await insertEvent(db, { waitingRoom: true, rate: 0.001, ...options })
  const fans = Array.from({ length: WAITING }, () => fan())
  const tokens = await fillLine(room, event.id, fans)
  let check = () => {}
  const waiting = fans.map((who, i): Waiting => ({ fan: who, queueToken: tokens[i] as string, last: null }))
  const listen = (who: Waiting, i: number) =>
    follow(urls[i % 2] as string, who.fan.deviceId as string, who.queueToken, (position) => {
      who.last = position
      check()
    })
  for (let i = 0; i < WAITING; i += 50)
    await Promise.all(waiting.slice(i, i + 50).map((who, j) => listen(who, i + j)))
  await room.pacer.tick(event.id)

  function lastStates() {
    const byState = Map.groupBy(waiting, ({ last }) => last?.state)
    return [...byState].map(([state, those]) => `${those.length} ${state}`)
  }
  await expect.poll(lastStates, { timeout: 30_000 }).toEqual([`${WAITING} WAITING`])

  return {
    event,
    waiting,
    /** Waits until `state` is the last value of every socket. */
    async reached(state: string) {
      const began = performance.now()
      await new Promise<void>((resolve, reject) => {
        const late = setTimeout(
          () => reject(new Error(`the last values: ${JSON.stringify(lastStates())}`)),
          WITHIN_MS,
        )
        check = () => {
          if (!waiting.every(({ last }) => last?.state === state)) return
          clearTimeout(late)
          resolve()
        }
        check()
      })
      check = () => {}
      console.log(`all ${WAITING} knew ${state} after ${Math.round(performance.now() - began)} ms`)
    },
    /** The answers to polls, on either server. */
    async polled() {
      const answers = await Promise.all(
        waiting
          .filter((_, i) => i % 50 === 0)
          .flatMap(({ fan: { deviceId }, queueToken }) =>
            clients.map((client) => client.ask(POSITION, { t: queueToken }, { device: deviceId as string })),
          ),
      )
      return new Set(answers.map(({ data }) => data.queuePosition.state))
    },
  }
}

async function hold(event: TestEvent, seatNos: number[], credentials: object): Promise<Json> {
  const selection = { seats: seatNos.map(event.seatId) }
  const input = { eventId: event.id, selection, idempotencyKey: randomUUID() }
  return (await ask(HOLD, { input }, credentials)).data.hold
}

async function canSeeMap({ id }: TestEvent): Promise<boolean> {
  const { data } = await ask(
    'query ($id: ID!) { event(id: $id) { sections { availability { available } } } }',
    { id },
  )
  return data.event.sections[0].availability !== null
}

test('turning the room off lets every fan straight in; turning it on again puts every fan back in their place', async () => {
  const { event, waiting, reached, polled } = await crowd({ sections: [{ seats: 40 }] })
  const places = waiting.map(({ last }) => last.place)
  expect(new Set(places).size).toBe(WAITING)
  expect(await canSeeMap(event)).toBe(false)
  const buyer = { token: await token() }
  expect((await hold(event, [1], buyer)).__typename).toBe('AdmissionRequired')

  const update = (waitingRoom: boolean) =>
    ask(
      'mutation ($input: UpdateSaleInput!) { updateSale(input: $input) { state } }',
      {
        input: { eventId: event.id, waitingRoom },
      },
      staff,
    )
  const [off] = await Promise.all([update(false), reached('OPEN')])
  expect(off.errors).toBeUndefined()
  expect(await polled()).toEqual(new Set(['OPEN']))
  expect(await canSeeMap(event)).toBe(true)
  expect((await hold(event, [1], buyer)).__typename).toBe('Hold')
  expect((await ask(JOIN, { id: event.id }, { ...buyer, device: 'phone' })).data.joinQueue.state).toBe('OPEN')
  await room.sales.refresh(event.id)
  expect(await nextTick(room, event.id)).toBeNull()

  const [on] = await Promise.all([update(true), reached('WAITING')])
  expect(on.errors).toBeUndefined()
  expect(waiting.map(({ last }) => last.place)).toEqual(places)
  expect(await polled()).toEqual(new Set(['WAITING']))
  expect(await canSeeMap(event)).toBe(false)
  expect((await hold(event, [2], { token: await token() })).__typename).toBe('AdmissionRequired')
})

test('sold out reaches every socket and every poll, and closes the line', async () => {
  const { event, reached, polled } = await crowd({ sections: [{ seats: 4 }] })
  const buyer = { accountId: 'ana', device: new Uint8Array(deviceDigest('phone')), arrival: WAITING + 1 }
  const row = await room.admissions.admit({ ...buyer, eventId: event.id, place: WAITING + 1 }, 600)
  const { token: admission } = await room.admissions.token(row)
  const ana = { token: await token('ana'), device: 'phone', admission }
  const { id: holdId } = await hold(event, [...event.seatNos], ana)
  // Every seat is held and may come back, so no fan is sent home.
  expect(await polled()).toEqual(new Set(['WAITING']))

  const input = { holdId, paymentMethod: 'pm_card_visa', idempotencyKey: 'k' }
  const pay = 'mutation ($input: CheckoutInput!) { checkout(input: $input) { __typename } }'
  const [paid] = await Promise.all([ask(pay, { input }, ana), reached('SOLD_OUT')])
  expect(paid.data.checkout.__typename).toBe('Order')
  expect(await polled()).toEqual(new Set(['SOLD_OUT']))
  const late = { token: await token(), device: 'late' }
  expect((await ask(JOIN, { id: event.id }, late)).data.joinQueue).toEqual({
    __typename: 'SaleOver',
    saleState: 'SOLD_OUT',
  })
  await db.sql('update rooms set rate_ceiling = 100 where event_id = $1', [event.id])
  await room.sales.refresh(event.id)
  expect((await nextTick(room, event.id))?.called ?? 0).toBe(0)
  expect(await db.sql('select admitted_up_to from rooms where event_id = $1', [event.id])).toEqual([
    { admitted_up_to: 0 },
  ])
})

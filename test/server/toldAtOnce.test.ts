import { randomUUID } from 'node:crypto'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { afterAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { deviceDigest } from '../../src/sale/line/digests.ts'
import { insertEvent, type TestEvent } from '../support/event.ts'
import { fan, fillLine, nextTick, type TestFan } from '../support/room.ts'
import { type Json, testServer } from '../support/server.ts'

/** Far above what it should take, which is printed; less than the 15 s after which each would look by itself. */
const PATIENCE_MS = 10_000
const WAITING = 1_000

const { url, app, db, ask, token } = await testServer()
const staff = { token: await token('olga', { roles: ['organizer', 'ops'] }) }
const sockets: WebSocket[] = []
afterAll(() => {
  for (const socket of sockets) socket.terminate()
})

const POSITION = 'queuePosition(queueToken: $t) { state place }'
const HOLD = 'mutation ($input: HoldInput!) { hold(input: $input) { __typename ... on Hold { id } } }'
const JOIN = `mutation ($id: ID!) { joinQueue(input: { eventId: $id }) {
  __typename ... on QueuePosition { state } ... on SaleOver { saleState } } }`

interface Waiting {
  readonly fan: TestFan
  readonly queueToken: string
  /** What it was told last. */
  last: Json
}

/** A real socket that follows its place. */
async function follow(who: TestFan, queueToken: string, onTold: () => void): Promise<Waiting> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws')
  sockets.push(socket)
  const waiting: Waiting = { fan: who, queueToken, last: null }
  await new Promise((resolve, reject) => {
    socket.once('open', resolve)
    socket.once('error', reject)
  })
  const send = (message: object) => socket.send(JSON.stringify(message))
  send({ type: 'connection_init', payload: { deviceId: who.deviceId } })
  socket.on('message', (data) => {
    const { type, payload } = JSON.parse(String(data))
    if (type === 'connection_ack')
      send({
        type: 'subscribe',
        id: '1',
        payload: { query: `subscription ($t: String!) { ${POSITION} }`, variables: { t: queueToken } },
      })
    if (type !== 'next') return
    waiting.last = payload.data?.queuePosition ?? payload
    onTold()
  })
  return waiting
}

/** A thousand people who wait, each on a socket of their own. Nobody is called. */
async function crowd(options: object) {
  const event = await insertEvent(db, { waitingRoom: true, rate: 0.001, ...options })
  const fans = Array.from({ length: WAITING }, () => fan())
  const tokens = await fillLine(app, event.id, fans)
  let check = () => {}
  const waiting: Waiting[] = []
  for (let i = 0; i < WAITING; i += 50)
    waiting.push(
      ...(await Promise.all(
        fans.slice(i, i + 50).map((who, j) => follow(who, tokens[i + j] as string, () => check())),
      )),
    )
  await app.waitingRoom.tick(event.id)

  function lastStates() {
    const byState = Map.groupBy(waiting, ({ last }) => last?.state)
    return [...byState].map(([state, those]) => `${those.length} ${state}`)
  }

  return {
    event,
    waiting,
    /** Waits until everybody was told `state` last, and says how long it took since `began`. */
    async told(state: string, began = performance.now()) {
      const delay = monitorEventLoopDelay({ resolution: 5 })
      delay.enable()
      await new Promise<void>((resolve, reject) => {
        const late = setTimeout(
          () => reject(new Error(`told last: ${JSON.stringify(lastStates())}`)),
          PATIENCE_MS,
        )
        check = () => {
          if (!waiting.every(({ last }) => last?.state === state)) return
          clearTimeout(late)
          resolve()
        }
        check()
      })
      check = () => {}
      const ms = Math.round(performance.now() - began)
      const stoodStill = Math.round(delay.max / 1e6)
      console.log(
        `all ${WAITING} knew ${state} after ${ms} ms; this process, theirs too, stood still for ${stoodStill} ms at most`,
      )
    },
    /** What those who poll hear, on whichever server they ask. */
    async polled() {
      const answers = await Promise.all(
        waiting
          .filter((_, i) => i % 50 === 0)
          .map(({ fan: { deviceId }, queueToken }) =>
            ask(`query ($t: String!) { ${POSITION} }`, { t: queueToken }, { device: deviceId as string }),
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

test('a room that is turned off tells everybody to go straight in, and on again that they wait where they were', async () => {
  const { event, waiting, told, polled } = await crowd({ sections: [{ seats: 40 }] })
  await told('WAITING')
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
  let began = performance.now()
  expect((await update(false)).errors).toBeUndefined()
  await told('OPEN', began)
  expect(await polled()).toEqual(new Set(['OPEN']))
  expect(await canSeeMap(event)).toBe(true)
  expect((await hold(event, [1], buyer)).__typename).toBe('Hold')
  expect((await ask(JOIN, { id: event.id }, { ...buyer, device: 'phone' })).data.joinQueue.state).toBe('OPEN')
  expect(await nextTick(app, event.id)).toBeNull()

  began = performance.now()
  expect((await update(true)).errors).toBeUndefined()
  await told('WAITING', began)
  expect(waiting.map(({ last }) => last.place)).toEqual(places)
  expect(await polled()).toEqual(new Set(['WAITING']))
  expect(await canSeeMap(event)).toBe(false)
  expect((await hold(event, [2], { token: await token() })).__typename).toBe('AdmissionRequired')
})

test('sold out is told to every socket and every poll, and closes the line', async () => {
  const { event, told, polled } = await crowd({ sections: [{ seats: 4 }] })
  await told('WAITING')
  const buyer = { accountId: 'ana', device: new Uint8Array(deviceDigest('phone')), arrival: WAITING + 1 }
  const row = await app.admissions.admit({ ...buyer, eventId: event.id, place: WAITING + 1 }, 600)
  const { token: admission } = await app.admissions.token(row)
  const ana = { token: await token('ana'), device: 'phone', admission }
  const { id: holdId } = await hold(event, [...event.seatNos], ana)
  // Everything is held, and may come back: nobody is sent home.
  expect(await polled()).toEqual(new Set(['WAITING']))

  const began = performance.now()
  const input = { holdId, paymentMethod: 'pm_card_visa', idempotencyKey: 'k' }
  const pay = 'mutation ($input: CheckoutInput!) { checkout(input: $input) { __typename } }'
  expect((await ask(pay, { input }, ana)).data.checkout.__typename).toBe('Order')
  await told('SOLD_OUT', began)
  expect(await polled()).toEqual(new Set(['SOLD_OUT']))
  const late = { token: await token(), device: 'late' }
  expect((await ask(JOIN, { id: event.id }, late)).data.joinQueue).toEqual({
    __typename: 'SaleOver',
    saleState: 'SOLD_OUT',
  })
  await db.sql('update rooms set rate_ceiling = 100 where event_id = $1', [event.id])
  expect((await nextTick(app, event.id))?.called ?? 0).toBe(0)
  expect(await db.sql('select admitted_up_to from rooms where event_id = $1', [event.id])).toEqual([
    { admitted_up_to: 0 },
  ])
})

import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { insertEvent } from '../support/event.ts'
import { testServer } from '../support/server.ts'

const { url, server, db, ask, token } = await testServer()
const event = await insertEvent(db)

const HOLD = `mutation ($input: HoldInput!) { hold(input: $input) { ... on Hold { id } } }`
const CHECKOUT = `mutation ($input: CheckoutInput!) { checkout(input: $input) { ... on Order { state tickets { id } } } }`

test('a stopping process first reports not ready, then finishes its requests and moves its clients to other processes', async () => {
  const fan = { token: await token() }
  const input = { eventId: event.id, selection: { seats: [event.seatId(1)] }, idempotencyKey: 'k' }
  const hold = (await ask(HOLD, { input }, fan)).data.hold
  const idle = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws')
  const following = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws')
  const paying = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws')
  const codes: string[] = []
  for (const [name, socket] of Object.entries({ idle, following, paying }))
    socket.on('close', (code) => codes.push(`${name} ${code}`))
  const answers: string[] = []
  paying.on('message', (data) => answers.push(String(data)))
  const received: string[] = []
  following.on('message', (data) => received.push(JSON.parse(String(data)).type))
  await Promise.all(
    [idle, following, paying].map((socket) => new Promise((resolve) => socket.once('open', resolve))),
  )
  following.send(JSON.stringify({ type: 'connection_init' }))
  const query = `subscription { saleUpdated(eventId: "${event.id}") { state } }`
  await expect.poll(() => received).toEqual(['connection_ack'])
  following.send(JSON.stringify({ type: 'subscribe', id: '1', payload: { query } }))
  await expect.poll(() => received).toEqual(['connection_ack', 'next'])
  paying.send(JSON.stringify({ type: 'connection_init', payload: { authorization: `Bearer ${fan.token}` } }))
  await expect.poll(() => answers.length).toBe(1)
  const stream = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
    body: JSON.stringify({ query }),
  })

  // pm_slow: the card network takes 3 s.
  const order = (idempotencyKey: string) => ({
    input: { holdId: hold.id, paymentMethod: 'pm_slow', idempotencyKey },
  })
  const http = ask(CHECKOUT, order('c'), fan)
  paying.send(
    JSON.stringify({ type: 'subscribe', id: '1', payload: { query: CHECKOUT, variables: order('c') } }),
  )
  await sleep(500)

  const closed = server.close(20_000)
  await expect.poll(() => codes.toSorted()).toEqual(['following 1012', 'idle 1012'])
  const ready = await fetch(`${url}/readyz`)
  expect([ready.status, await ready.json()]).toMatchObject([
    503,
    { ready: false, parts: { process: 'draining' } },
  ])
  const late = await ask('{ viewer { accountId } }')
  expect([late.status, late.errors?.[0]?.extensions.code]).toEqual([503, 'OVERLOADED'])
  expect(Number(late.headers.get('retry-after'))).toBeGreaterThan(0)
  await expect(stream.text()).rejects.toThrow()

  expect((await http).data.checkout).toEqual({ state: 'CONFIRMED', tickets: [{ id: expect.any(String) }] })
  await closed
  expect(codes.slice(2)).toEqual(['paying 1012'])
  expect(answers.slice(1).map((text) => JSON.parse(text))).toMatchObject([
    { type: 'next', payload: { data: { checkout: { state: 'CONFIRMED' } } } },
    { type: 'complete' },
  ])
  await expect(fetch(`${url}/healthz`)).rejects.toThrow()
})

test('a client that only follows a subscription does not delay a stop', async () => {
  const other = await testServer()
  const { id } = await insertEvent(other.db)
  const updates = other
    .socket()
    .iterate({ query: `subscription { saleUpdated(eventId: "${id}") { state } }` })
  await updates.next()
  const next = updates.next()
  next.catch(() => {})
  const deadline = sleep(20_000, 'waited for the deadline', { ref: false })
  expect(await Promise.race([other.server.close(60_000), deadline])).toBeUndefined()
  await expect(next).rejects.toMatchObject({ code: 1012 })
})

test('a client that left in the middle of an answer or an operation does not delay a stop', async () => {
  const other = await testServer()
  const { id } = await insertEvent(other.db, { sections: [{ seats: 2_000 }] })
  const { promise, resolve } = Promise.withResolvers<null>()
  other.app.catalogue.eventBySlug = () => promise
  const connect = async () => {
    const socket = new WebSocket(`${other.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws')
    await new Promise((resolve) => socket.once('open', resolve))
    socket.send(JSON.stringify({ type: 'connection_init' }))
    await new Promise((resolve) => socket.once('message', resolve))
    return {
      socket,
      subscribe: (id: string, query: string) =>
        socket.send(JSON.stringify({ type: 'subscribe', id, payload: { query } })),
    }
  }

  // Far more than two sockets buffer: most of the answers wait to be sent.
  const deaf = await connect()
  deaf.socket.pause()
  for (let i = 0; i < 45; i++)
    deaf.subscribe(String(i), `{ event(id: "${id}") { sections { layout { id key x y } } } }`)
  const impatient = await connect()
  for (let i = 0; i < 3; i++) {
    impatient.subscribe('1', '{ eventBySlug(slug: "slow") { id } }')
    impatient.socket.send(JSON.stringify({ type: 'complete', id: '1' }))
  }
  await sleep(1_500)
  deaf.socket.terminate()
  impatient.socket.terminate()
  resolve(null)
  const deadline = sleep(20_000, 'waited for the deadline', { ref: false })
  expect(await Promise.race([other.server.close(60_000), deadline])).toBeUndefined()
})

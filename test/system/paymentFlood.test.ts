import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import type { App } from '../../src/app.ts'
import { type Class, type Limits, limitsFor } from '../../src/server/graphql/priority.ts'
import { createHttp } from '../../src/server/http/http.ts'
import { createServerParts } from '../../src/server/index.ts'
import { createSockets } from '../../src/server/sockets/sockets.ts'
import { cleanUp } from '../support/cleanUp.ts'
import { testClient } from '../support/client.ts'
import { insertEvent } from '../support/event.ts'
import { type Json, testServer } from '../support/server.ts'

const server = await testServer()
const { app, db, ask, token } = server
const event = await insertEvent(db, { sections: [{ places: 100 }] })

const HOLD = 'mutation ($input: HoldInput!) { hold(input: $input) { ... on Hold { id } } }'
const BUY = `mutation ($input: CheckoutInput!) {
  checkout(input: $input) { __typename ... on Order { id state tickets { id } } } }`

/** The API with another app or other limits. */
async function serve(served: App = app, limits: Partial<Record<Class, Limits>> = {}) {
  const parts = createServerParts(served, { ...limitsFor(app.env.databasePool), ...limits })
  const traffic = { isDraining: () => false, isClosing: () => false, begin() {}, end() {} }
  const http = createHttp({ ...parts, traffic })
  const sockets = createSockets(parts)
  sockets.attach(http)
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  cleanUp(async () => {
    await sockets.close()
    http.closeAllConnections()
    http.close()
  })
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  const underWay = (of: Class) => parts.priority.figures().find((share) => share.class === of)?.underWay
  return { url, underWay, ...testClient(url) }
}

async function fanWithHold() {
  const account = `fan-${crypto.randomUUID()}`
  const fan = { token: await token(account) }
  const selection = { generalAdmission: { sectionId: event.sectionId(1), quantity: 1 } }
  const { data } = await ask(HOLD, { input: { eventId: event.id, idempotencyKey: 'k', selection } }, fan)
  const input = { holdId: data.hold.id as string, paymentMethod: 'pm_card_visa', idempotencyKey: 'pay' }
  return { account, fan, input }
}

/** An order that waits for its buyer. */
async function waitingOrder() {
  const { fan, input, account } = await fanWithHold()
  const waits = { ...input, paymentMethod: 'pm_needs_action' }
  const { data } = await ask(BUY, { input: waits }, fan)
  expect(data.checkout.state).toBe('PAYING')
  return { account, fan, input: waits, id: data.checkout.id as string }
}

async function approve(id: string) {
  await db.pool.query(`update sandbox_payments set state = 'authorized' where order_id = $1`, [id])
  await fetch(`${server.url}/payments/return/${id}`, { redirect: 'manual' })
}

test('one account that repeats a checkout a hundred times holds eight of its slots, and another fan buys', async () => {
  const { underWay, ask } = await serve()
  const { fan, input, id } = await waitingOrder()
  // As a bank does that decides later: a repeated checkout waits for it.
  await db.pool.query('update orders set next_action = null where id = $1', [id])
  const refused: Json[] = []
  const repeated = Promise.all(
    Array.from({ length: 100 }, async () => {
      const answer = await ask(BUY, { input }, fan)
      if (answer.errors) refused.push([answer.status, answer.errors[0]?.extensions])
      return answer
    }),
  )
  await expect.poll(() => refused.length, { timeout: 9_000 }).toBe(92)
  expect(refused[0]).toEqual([429, { code: 'RATE_LIMITED', retryAfterSeconds: expect.any(Number) }])
  expect(underWay('checkout')).toBe(8)
  const honest = await fanWithHold()
  const bought = await ask(BUY, { input: honest.input }, honest.fan)
  expect(bought.data.checkout).toMatchObject({ state: 'CONFIRMED' })
  await approve(id)
  const answers = (await repeated).filter(({ errors }) => !errors)
  expect(answers.map(({ data }) => data.checkout.state)).toEqual(Array(8).fill('CONFIRMED'))
  expect(underWay('checkout')).toBe(0)
})

test('the operations of a socket count for their account too', async () => {
  const { underWay, socket } = await serve()
  const { fan, input, id } = await waitingOrder()
  await db.pool.query('update orders set next_action = null where id = $1', [id])
  const client = socket({ authorization: `Bearer ${fan.token}` })
  const codes: string[] = []
  const ended = Promise.all(
    Array.from(
      { length: 40 },
      () =>
        new Promise<void>((resolve) => {
          client.subscribe(
            { query: BUY, variables: { input } },
            {
              next() {},
              complete: resolve,
              error(errors) {
                codes.push((errors as Json)[0].extensions.code)
                resolve()
              },
            },
          )
        }),
    ),
  )
  await expect.poll(() => codes.length, { timeout: 9_000 }).toBe(32)
  expect(new Set(codes)).toEqual(new Set(['RATE_LIMITED']))
  expect(underWay('checkout')).toBe(8)
  await approve(id)
  await ended
})

test('many accounts whose payments are not decided leave the checkout to other fans: ten calls wait at most', async () => {
  const { underWay, ask } = await serve()
  const orders = []
  for (let i = 0; i < 12; i++) orders.push(await waitingOrder())
  await db.pool.query('update orders set next_action = null where id = any($1)', [orders.map(({ id }) => id)])
  let atOnce = 0
  const repeated = Promise.all(
    orders.map(async ({ fan, input }) => {
      const { data } = await ask(BUY, { input }, fan)
      if (data.checkout.state === 'PAYING') atOnce++
    }),
  )
  await expect.poll(() => atOnce, { timeout: 9_000 }).toBe(2)
  expect(underWay('checkout')).toBe(10)
  for (const { id } of orders) await approve(id)
  await repeated
  expect(atOnce).toBe(2)
})

test('a hundred returns of one buyer look at the payment twice, and wait in no slot of the checkout', async () => {
  let looks = 0
  const settle: App['checkout']['settle'] = (id) => {
    looks++
    return app.checkout.settle(id)
  }
  const { url } = await serve({ ...app, checkout: { ...app.checkout, settle } })
  const { id } = await waitingOrder()
  const back = () => fetch(`${url}/payments/return/${id}`, { redirect: 'manual' })
  const answers = await Promise.all(Array.from({ length: 100 }, back))
  expect(answers.map(({ status }) => status)).toEqual(Array(100).fill(303))
  expect(looks).toBe(2)
})

test('invented orders and payments in the name of an event take no slot of the checkout', async () => {
  const { url, ask } = await serve(app, { checkout: { running: 1, mostWaiting: 0, patienceSeconds: 1 } })
  const { fan, input } = await fanWithHold()
  // Each of them waits for this lock, as in a flood that is faster than the database.
  const blocking = await db.pool.connect()
  await blocking.query('begin; lock table orders in access exclusive mode')
  const invented = Array.from({ length: 5 }, (_, i) =>
    fetch(`${url}/payments/return/${input.holdId.replace('hld', 'ord')}${i}`, { redirect: 'manual' }),
  )
  const waiting = async () => (await db.sql(`select from pg_locks where not granted`)).length
  await expect.poll(waiting, { timeout: 9_000 }).toBeGreaterThan(0)
  const buying = ask(BUY, { input }, fan)
  await blocking.query('commit')
  blocking.release()
  expect((await buying).data?.checkout).toMatchObject({ state: 'CONFIRMED' })
  for (const answer of await Promise.all(invented)) expect(answer.status).toBe(303)
})

test('a file of tickets that is slow to make takes no slot from fans who browse', async () => {
  const { promise: gate, resolve: openGate } = Promise.withResolvers<void>()
  const isMaking = Promise.withResolvers<void>()
  const openPdf: App['documents']['openPdf'] = async (...link) => {
    const found = await app.documents.openPdf(...link)
    if (typeof found !== 'function') return found
    return async () => {
      isMaking.resolve()
      await gate
      return found()
    }
  }
  const { url, ask } = await serve(
    { ...app, documents: { ...app.documents, openPdf } },
    { browsing: { running: 1, mostWaiting: 0, patienceSeconds: 1 } },
  )
  const { fan, input } = await fanWithHold()
  const { id } = (await ask(BUY, { input }, fan)).data.checkout
  await app.checkout.capture(id)
  const { data } = await ask('query ($id: ID!) { order(id: $id) { pdfUrl } }', { id }, fan)
  const { pathname, search } = new URL(data.order.pdfUrl)
  const file = fetch(`${url}${pathname}${search}`)
  await isMaking.promise
  expect((await ask('{ __typename }')).data).toEqual({ __typename: 'Query' })
  openGate()
  expect((await file).status).toBe(200)
})

import { afterEach, expect, test } from 'vitest'
import { apiProcesses } from '../support/apiProcess.ts'
import { atNetwork, testCheckout } from '../support/checkout.ts'
import { testDatabase } from '../support/database.ts'
import { insertEvent } from '../support/event.ts'
import { lossyProxy } from '../support/lossyProxy.ts'
import { testRedis } from '../support/redis.ts'
import { expectSettled } from '../support/settled.ts'

const db = await testDatabase()
const redis = await testRedis()
const startApi = await apiProcesses(db.url, redis.url)
/** The process that stays. */
const other = await startApi()
const settler = testCheckout(db)
afterEach(() => expectSettled(db, settler))

const HOLD = `mutation ($input: HoldInput!) { hold(input: $input) { ... on Hold { id } } }`
const CHECKOUT = `mutation ($input: CheckoutInput!) { checkout(input: $input) {
  __typename ... on Order { id state tickets { id } } } }`

interface OrderAnswer {
  __typename: string
  id: string
  state: string
  tickets: { id: string }[]
}

let fans = 0

/** A fan who holds two seats, made through the process that stays. */
async function fanWithHold() {
  const event = await insertEvent(db)
  const response = await fetch(`${other.url}/dev/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ account: `fan-${++fans}` }),
  })
  const { token } = (await response.json()) as { token: string }
  async function ask<Data>(url: string, query: string, input: object): Promise<Data> {
    const answer = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify({ query, variables: { input } }),
    })
    return ((await answer.json()) as { data: Data }).data
  }
  const { hold } = await ask<{ hold: { id: string } }>(other.url, HOLD, {
    eventId: event.id,
    selection: { seats: [event.seatId(1), event.seatId(2)] },
    idempotencyKey: 'hold',
  })
  return {
    holdId: hold.id,
    /** The same request each time. */
    async checkout(url: string, paymentMethod: string): Promise<OrderAnswer> {
      const input = { holdId: hold.id, paymentMethod, idempotencyKey: 'checkout' }
      return (await ask<{ checkout: OrderAnswer }>(url, CHECKOUT, input)).checkout
    },
  }
}

async function orderOf(holdId: string) {
  const rows = await db.sql<{ id: string; state: string; payment: string }>(
    'select id, state, payment from orders where hold_id = $1',
    [holdId],
  )
  expect(rows.length).toBeLessThan(2)
  return rows[0]
}

const atProvider = async (orderId: string) => (await atNetwork(db, orderId))[0]?.state ?? null

async function settleAfterAMinute(orderId: string) {
  await db.sql(`update orders set changed_at = changed_at - interval '1 minute' where id = $1`, [orderId])
  expect(await settler.settleStuck()).toEqual({ settled: 1, waiting: 0 })
}

test('an API process killed during authorization leaves an order that the settler sells', async () => {
  const api = await startApi()
  const { holdId, checkout } = await fanWithHold()
  const lost = checkout(api.url, 'pm_slow').catch(() => 'lost')
  await expect.poll(() => orderOf(holdId), { timeout: 10_000 }).toMatchObject({ state: 'PAYING' })
  await api.kill()
  expect(await lost).toBe('lost')
  const order = (await orderOf(holdId)) as { id: string }
  expect(order).toMatchObject({ state: 'PAYING' })
  // The card was on its way, and the network has not decided.
  expect([null, 'unconfirmed']).toContain(await atProvider(order.id))

  await settleAfterAMinute(order.id)
  expect(await orderOf(holdId)).toMatchObject({ state: 'CONFIRMED', payment: 'AUTHORIZED' })
})

test('an API process killed between authorization and sale leaves an order that the settler sells', async () => {
  const api = await startApi()
  const { holdId, checkout } = await fanWithHold()
  const lost = checkout(api.url, 'pm_slow').catch(() => 'lost')
  await expect.poll(() => orderOf(holdId), { timeout: 10_000 }).toMatchObject({ state: 'PAYING' })
  const { id } = (await orderOf(holdId)) as { id: string }

  await expect
    .poll(() => db.sql('select id from orders where id = $1 and intent_id is not null', [id]), {
      timeout: 10_000,
    })
    .toHaveLength(1)
  // The sell statement waits for this lock; it ends with its process.
  const blocker = await db.pool.connect()
  await blocker.query('begin')
  await blocker.query('select from orders where id = $1 for update', [id])
  const sales = `from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query like '%sell_order%'`
  await expect.poll(() => db.sql(`select pid ${sales}`), { timeout: 10_000 }).toHaveLength(1)
  await api.kill()
  await db.sql(`select pg_terminate_backend(pid, 5000) ${sales}`)
  await blocker.query('rollback')
  blocker.release()
  expect(await lost).toBe('lost')
  expect(await orderOf(holdId)).toMatchObject({ state: 'PAYING' })
  expect(await atProvider(id)).toBe('authorized')

  await settleAfterAMinute(id)
  expect(await orderOf(holdId)).toMatchObject({ state: 'CONFIRMED', payment: 'AUTHORIZED' })
})

test('a fan who lost the reply after the commit retries on another process and has one order', async () => {
  const api = await startApi()
  const { holdId, checkout } = await fanWithHold()
  const proxy = await lossyProxy(api.url)
  proxy.loseReplies()
  await expect(checkout(proxy.url.replace(/\/$/, ''), 'pm_card_visa')).rejects.toThrow('fetch failed')
  expect(await orderOf(holdId)).toMatchObject({ state: 'CONFIRMED' })
  await api.kill()

  const answer = await checkout(other.url, 'pm_card_visa')
  expect(answer).toMatchObject({ __typename: 'Order', id: (await orderOf(holdId))?.id, state: 'CONFIRMED' })
  expect(answer.tickets).toHaveLength(2)
})

test('a fan whose process was killed retries on another process, which finishes the order', async () => {
  const api = await startApi()
  const { holdId, checkout } = await fanWithHold()
  const lost = checkout(api.url, 'pm_slow').catch(() => 'lost')
  await expect.poll(() => orderOf(holdId), { timeout: 10_000 }).toMatchObject({ state: 'PAYING' })
  await api.kill()
  expect(await lost).toBe('lost')

  const answer = await checkout(other.url, 'pm_slow')
  expect(answer).toMatchObject({ __typename: 'Order', id: (await orderOf(holdId))?.id, state: 'CONFIRMED' })
  expect(answer.tickets).toHaveLength(2)
})

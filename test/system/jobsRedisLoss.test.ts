import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { type RunningJobs, startJobs } from '../../src/jobs/index.ts'
import type { ProviderPayment } from '../../src/payments/provider.ts'
import type { HoldView } from '../../src/sale/holds/holdView.ts'
import type { OrderView } from '../../src/sale/orders/orders.ts'
import { testAccount } from '../support/checkout.ts'
import { testDatabase } from '../support/database.ts'
import { insertEvent, type TestEvent } from '../support/event.ts'
import { expectInvariants } from '../support/invariants.ts'
import { QUICK, testJobApp, until } from '../support/jobs.ts'
import { testRedis } from '../support/redis.ts'

const db = await testDatabase()
const redis = await testRedis()

/** While it is set, an order's first capture waits for it to open, succeeds, and loses its reply. */
let gate: { waiting: Set<string>; open: Promise<void>; release(): void } | undefined
const requested = new Set<string>()

const app = await testJobApp(db.url, redis.url, (provider) => ({
  ...provider,
  async capture(request) {
    const isFirst = !requested.has(request.intentId)
    requested.add(request.intentId)
    if (!gate || !isFirst) return provider.capture(request)
    gate.waiting.add(request.intentId)
    await gate.open
    await provider.capture(request)
    throw new Error('the reply was lost')
  },
}))
const ran: string[] = []
let jobs: RunningJobs | undefined

afterEach(async () => {
  gate?.release()
  gate = undefined
  await jobs?.close(5_000)
  jobs = undefined
  ran.length = 0
  await db.sql('delete from sales')
})
afterAll(() => app.close())

function closeGate() {
  let release = () => {}
  const open = new Promise<void>((resolve) => {
    release = resolve
  })
  gate = { waiting: new Set(), open, release }
  return gate
}

async function work() {
  jobs = await startJobs(app, {
    timings: QUICK,
    metrics: { ran: (job, outcome) => void ran.push(`${job} ${outcome}`), stalled() {}, replaced() {} },
  })
}

/** So many confirmed orders of two seats each, with their captures in the outbox. */
async function confirm(event: TestEvent, orders: number): Promise<OrderView[]> {
  return Promise.all(
    Array.from({ length: orders }, async (_, i) => {
      const account = testAccount()
      const hold = (await app.holds.hold(
        { account, deviceId: null, admissionToken: null },
        {
          eventId: event.id,
          seats: [event.seatId(2 * i + 1), event.seatId(2 * i + 2)],
          idempotencyKey: randomUUID(),
        },
      )) as HoldView
      const input = { holdId: hold.id, paymentMethod: 'pm_card_visa', idempotencyKey: randomUUID() }
      return (await app.checkout.checkout(account, input)) as OrderView
    }),
  )
}

/** Makes the orders old enough for the settler. */
const letTimePass = () => db.sql(`update orders set changed_at = now() - interval '5 minutes'`)

async function allCaptured(event: TestEvent): Promise<boolean> {
  const rows = await db.sql(`select 1 from orders where event_id = $1 and payment <> 'CAPTURED'`, [event.id])
  return rows.length === 0
}

async function expectWhole(event: TestEvent, orders: readonly OrderView[]) {
  await expectInvariants(db, event.id)
  const listed: ProviderPayment[] = []
  for await (const payment of app.payments.of('sandbox').list(event.id)) listed.push(payment)
  expect(listed.map(({ status }) => status.state)).toEqual(orders.map(() => 'captured'))
  // The rounds repair the map once Redis is back: some seconds, and far less than the minute of a quiet event.
  await expect
    .poll(async () => (await app.reconciliation.of(event.id)).findings, { timeout: 12_000, interval: 250 })
    .toEqual([])
  const { captured } = await app.reconciliation.of(event.id)
  expect(captured.amount).toBe(orders.reduce((sum, { amount }) => sum + amount.amount, 0n))
  expect(await db.sql('select * from dead_letters')).toEqual([])
}

describe.each(['flushed', 'killed, its data lost', 'killed, its data kept'])('Redis %s', (how) => {
  const lose = async () => {
    if (how === 'flushed') await app.redis.flushall()
    else await redis.restart(how === 'killed, its data kept' ? 'kept' : 'lost')
  }

  test('while captures wait in it: every capture is made', async () => {
    const event = await insertEvent(db)
    const orders = await confirm(event, 10)
    await until(async () => (await app.queues.counts()) !== undefined, 'the queues')
    // The relay has done its part, and no worker runs yet.
    const rows = await db.sql('delete from outbox returning id, job, data')
    await app.queues.add(rows.map(({ id, job, data }) => ({ job, id: `ob-${id}`, data })))
    await lose()
    await letTimePass()
    await work()
    await until(() => allCaptured(event), 'every capture')
    await expectWhole(event, orders)
  })

  test('while captures run and lose their replies: no money moves twice', async () => {
    const event = await insertEvent(db)
    const orders = await confirm(event, 6)
    const { waiting, release } = closeGate()
    await work()
    await until(() => waiting.size === 6, 'six captures at the provider')
    await letTimePass()
    await lose()
    // With the queue gone the settler starts the captures again while the first runs may still be active.
    release()
    await until(() => allCaptured(event), 'every capture')
    await expectWhole(event, orders)
  })

  test('during the sale: its schedules come back by themselves', async () => {
    const event = await insertEvent(db)
    const other = await insertEvent(db)
    await work()
    const everything = ['callPlaces', 'expireHolds', 'rebuildMaps', 'relayOutbox', 'replayDeadLetters']
    const goesOn = () => everything.every((job) => ran.filter((done) => done === `${job} done`).length >= 3)
    await until(goesOn, 'three runs of each')
    await lose()
    ran.length = 0
    await until(goesOn, 'three more of each')
    // New work is done too.
    const orders = await confirm(event, 2)
    await until(() => allCaptured(event), 'every capture')
    await expectWhole(event, orders)
    await expectInvariants(db, other.id)
  })
})

test('without Redis checkout goes on and the outbox waits; once Redis is back, every capture follows', async () => {
  const event = await insertEvent(db)
  await work()
  await until(() => ran.includes('relayOutbox done'), 'the relay')
  await redis.kill()
  const orders = await confirm(event, 3)
  expect(orders.map(({ state }) => state)).toEqual(['CONFIRMED', 'CONFIRMED', 'CONFIRMED'])
  await expect(
    app.queues.add([{ job: 'capturePayment', id: 'x', data: { orderId: 'ord_x_1' } }]),
  ).rejects.toThrow('the queues cannot be reached')
  const waiting = await db.sql(`select data->>'orderId' as id from outbox where job = 'capturePayment'`)
  expect(waiting.map(({ id }) => id).sort()).toEqual(orders.map(({ id }) => id).sort())
  await redis.restart('kept')
  await until(() => allCaptured(event), 'every capture')
  await expectWhole(event, orders)
})

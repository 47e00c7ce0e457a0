import { randomUUID } from 'node:crypto'
import { afterEach, expect, test } from 'vitest'
import { JOBS, type RunningJobs, startJobs } from '../../src/jobs/index.ts'
import { relayWhenNudged } from '../../src/jobs/relayOutbox.ts'
import { channels } from '../../src/redis/keys.ts'
import type { HoldView } from '../../src/sale/holds/holdView.ts'
import type { OrderView } from '../../src/sale/orders/orders.ts'
import { SETTLED_JOBS } from '../../src/sql/ops/settledSubjects.ts'
import { testAccount } from '../support/checkout.ts'
import { testDatabase } from '../support/database.ts'
import { insertEvent } from '../support/event.ts'
import { expectInvariants } from '../support/invariants.ts'
import { QUICK, type TestJobApp, testJobApp, until } from '../support/jobs.ts'
import { testRedis } from '../support/redis.ts'

const db = await testDatabase()
const redis = await testRedis()

let gate: { arrived: number; open: Promise<void>; release(): void } | undefined
const processes: TestJobApp[] = []
const running: RunningJobs[] = []

/** A process with connections of its own. */
async function process(): Promise<TestJobApp> {
  const app = await testJobApp(db.url, redis.url, (provider) => ({
    ...provider,
    async capture(request) {
      if (gate) gate.arrived += 1
      await gate?.open
      return provider.capture(request)
    },
  }))
  processes.push(app)
  return app
}

async function start(app: TestJobApp) {
  const jobs = await startJobs(app, { timings: QUICK })
  running.push(jobs)
  return jobs
}

function closeGate() {
  let release = () => {}
  const open = new Promise<void>((resolve) => {
    release = resolve
  })
  gate = { arrived: 0, open, release }
  return gate
}

afterEach(async () => {
  gate?.release()
  gate = undefined
  for (const jobs of running.splice(0)) await jobs.close(5_000)
  for (const app of processes.splice(0)) await app.close()
  await db.sql('delete from sales')
})

async function buy(app: TestJobApp): Promise<OrderView> {
  const event = await insertEvent(db)
  const account = testAccount()
  const hold = (await app.holds.hold(
    { account, deviceId: null, admissionToken: null },
    {
      eventId: event.id,
      seats: [event.seatId(1)],
      idempotencyKey: randomUUID(),
    },
  )) as HoldView
  const input = { holdId: hold.id, paymentMethod: 'pm_card_visa', idempotencyKey: randomUUID() }
  return (await app.checkout.checkout(account, input)) as OrderView
}

const isCaptured = async ({ id }: OrderView) =>
  (await db.sql(`select 1 from orders where id = $1 and payment = 'CAPTURED'`, [id])).length === 1

test('each job is in the list once, under the name of its file', () => {
  const names = JOBS.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
  expect(names.sort()).toEqual([
    'analyzeGrown',
    'callPlaces',
    'cancelPayment',
    'capturePayment',
    'emitMails',
    'endLostOrders',
    'expireHolds',
    'mailOffer',
    'offerWaitlist',
    'rebuildMaps',
    'refundEvents',
    'refundPayment',
    'relayOutbox',
    'removeMaps',
    'replayDeadLetters',
    'sendMail',
    'sendTurnAlerts',
    'settleOrders',
    'sweepDeadLetters',
    'watchWaitlists',
  ])
})

test('a close waits for the current runs', async () => {
  const app = await process()
  const order = await buy(app)
  const { release } = closeGate()
  const jobs = await start(app)
  await until(() => gate?.arrived === 1, 'the capture')
  const closed = jobs.close(30_000)
  release()
  await closed
  expect(await isCaptured(order)).toBe(true)
  expect((await app.queues.counts()).capturePayment).toMatchObject({ active: 0, waiting: 0 })
  await expectInvariants(db, order.eventId)
})

test('a close does not wait for ever: another process does the work that it cuts off', async () => {
  const [first, second] = [await process(), await process()]
  const order = await buy(first)
  const { release } = closeGate()
  const jobs = await start(first)
  await until(() => gate?.arrived === 1, 'the capture')
  await jobs.close(200)
  expect(await isCaptured(order)).toBe(false)
  // The provider never answered the first process; it does answer the second.
  gate = undefined
  await start(second)
  await until(() => isCaptured(order), 'the capture')
  // The first process, which was cut off long ago, gets its answer after all.
  release()
  await expectInvariants(db, order.eventId)
})

test('a close waits for the current runs also while Redis is away', async () => {
  const app = await process()
  const order = await buy(app)
  const { release } = closeGate()
  const jobs = await start(app)
  await until(() => gate?.arrived === 1, 'the capture')
  await redis.kill()
  const closed = jobs.close(30_000)
  release()
  await closed
  expect(await isCaptured(order)).toBe(true)
  await redis.restart('kept')
  await expectInvariants(db, order.eventId)
})

test('with Redis away, a close ends and a start works', async () => {
  const app = await process()
  const jobs = await start(app)
  await redis.kill()
  await jobs.close(2_000)
  const order = await buy(app)
  await start(app)
  await redis.restart('kept')
  await until(() => isCaptured(order), 'the capture')
})

test('two processes share the work: they keep one set of schedules, and either process alone is enough', async () => {
  const [first, second] = [await process(), await process()]
  const stop = await start(first)
  await start(second)
  const orders = await Promise.all(Array.from({ length: 8 }, () => buy(first)))
  await until(async () => (await Promise.all(orders.map(isCaptured))).every(Boolean), 'every capture')
  // There is one schedule for each job, for any number of processes and events.
  expect((await first.queues.schedules.list('callPlaces')).size).toBe(1)
  expect((await first.queues.schedules.list('relayOutbox')).size).toBe(1)
  await stop.close(5_000)
  const last = await buy(second)
  await until(() => isCaptured(last), 'the capture')
})

test('a nudge relays at once, with no schedule needed', async () => {
  const app = await process()
  await until(() => app.queues.counts().catch(() => undefined), 'the queues')
  const stop = relayWhenNudged(app)
  await until(async () => (await db.sql('select 1 from outbox')).length === 0, 'the empty outbox')
  const before = (await app.queues.counts()).capturePayment?.waiting ?? 0
  await buy(app)
  await until(async () => (await app.queues.counts()).capturePayment?.waiting === before + 1, 'the job')
  await stop()
  // A nudge after the stop does nothing.
  app.publish(channels.outbox, '')
  await app.redis.flushall()
})

test('a job whose work is done once has a rule for when it is done, so that its dead letters close', () => {
  const once = JOBS.filter((job) => job.kind === 'task' && job.once).map(({ name }) => name)
  expect([...SETTLED_JOBS].sort()).toEqual(once.sort())
})

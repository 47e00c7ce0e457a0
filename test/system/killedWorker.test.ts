import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { type RunningJobs, startJobs } from '../../src/jobs/index.ts'
import type { Account } from '../../src/sale/caller.ts'
import type { HoldView } from '../../src/sale/holds/holdView.ts'
import { newId } from '../../src/sale/ids.ts'
import type { OrderView } from '../../src/sale/orders/orders.ts'
import { claimOrder } from '../../src/sql/orders.ts'
import { runOut, testAccount } from '../support/checkout.ts'
import { testDatabase } from '../support/database.ts'
import { insertEvent, type TestEvent } from '../support/event.ts'
import { expectInvariants } from '../support/invariants.ts'
import { QUICK, testJobApp, until } from '../support/jobs.ts'
import { testRedis } from '../support/redis.ts'
import { workersToKill } from '../support/workerToKill.ts'

const db = await testDatabase()
const redis = await testRedis()
const app = await testJobApp(db.url, redis.url)
let jobs: RunningJobs | undefined

afterEach(async () => {
  await jobs?.close(5_000)
  jobs = undefined
  await app.redis.flushall()
  await db.sql('delete from dead_letters')
  await db.sql('delete from sales')
})
afterAll(() => app.close())

const kill = workersToKill(db.url, redis.url)

/** Starts another worker, which takes over from the killed one. */
async function carryOn() {
  jobs = await startJobs(app, { timings: QUICK })
}

async function hold(account: Account, event: TestEvent, seatNos: number[]): Promise<HoldView> {
  return (await app.holds.hold(
    { account, deviceId: null, admissionToken: null },
    {
      eventId: event.id,
      seats: seatNos.map(event.seatId),
      idempotencyKey: randomUUID(),
    },
  )) as HoldView
}

async function buy(account: Account, event: TestEvent, seatNos: number[]): Promise<OrderView> {
  const { id: holdId } = await hold(account, event, seatNos)
  const input = { holdId, paymentMethod: 'pm_card_visa', idempotencyKey: randomUUID() }
  return (await app.checkout.checkout(account, input)) as OrderView
}

/** An order that a process has left PAYING for long enough for the settler. */
async function leavePaying(account: Account, event: TestEvent, seatNos: number[]): Promise<string> {
  const { id: holdId } = await hold(account, event, seatNos)
  const orderId = newId('ord', event.id)
  await claimOrder(db, {
    eventId: event.id,
    holdId,
    accountId: account.id,
    orderId,
    idempotencyKey: randomUUID(),
    inputHash: 'x',
    email: null,
    provider: 'sandbox',
    paymentMethod: 'pm_card_visa',
  })
  await db.sql(`update orders set changed_at = now() - interval '1 minute' where id = $1`, [orderId])
  return orderId
}

const orderIs = async (orderId: string, state: string, payment: string) => {
  const [order] = await db.sql('select state, payment from orders where id = $1', [orderId])
  return order?.state === state && order?.payment === payment
}

/** The final state shows how often the provider moved money: its states never go back. */
async function atProvider(orderId: string) {
  return (await app.payments.find(orderId))?.state
}

async function expectSettled(event: TestEvent) {
  // A job may run, and a test see its effect, before the relay's transaction has deleted the row.
  await until(async () => (await db.sql('select * from outbox')).length === 0, 'the relay')
  await expectInvariants(db, event.id)
  expect(await db.sql('select * from dead_letters')).toEqual([])
  expect((await app.reconciliation.of(event.id)).findings).toEqual([])
}

describe('a worker killed in relayOutbox', () => {
  test.each(['before queues add', 'after queues add'])('%s: the order is captured once', async (point) => {
    const event = await insertEvent(db)
    const order = await buy(testAccount(), event, [1, 2])
    await kill(point)
    // Its transaction is rolled back: the row is there again, and the job that it added has the same id.
    expect(await db.sql('select job from outbox')).toEqual([{ job: 'capturePayment' }])
    await carryOn()
    await until(() => orderIs(order.id, 'CONFIRMED', 'CAPTURED'), 'the capture')
    await expectSettled(event)
  })
})

describe('a worker killed in capturePayment', () => {
  test.each(['before provider capture', 'after provider capture', 'after checkout capture'])(
    '%s: the money is captured',
    async (point) => {
      const event = await insertEvent(db)
      const order = await buy(testAccount(), event, [1, 2, 3])
      await kill(point)
      await carryOn()
      await until(() => orderIs(order.id, 'CONFIRMED', 'CAPTURED'), 'the capture')
      await until(async () => (await app.queues.counts()).capturePayment?.active === 0, 'the killed run')
      expect(await atProvider(order.id)).toBe('captured')
      await expectSettled(event)
    },
  )
})

test('a capture that kills its worker every time becomes a dead letter', async () => {
  const event = await insertEvent(db)
  const order = await buy(testAccount(), event, [1])
  const isDead = async () => (await db.sql('select 1 from dead_letters')).length === 1
  // On a busy machine a lock may expire while its worker lives. That counts as a kill.
  for (let kills = 0; kills < 4 && !(await isDead()); kills++) {
    await kill('before provider capture', { unless: isDead })
    // The dead runner is noticed only when its lock has expired.
    await sleep(QUICK.lockMs)
  }
  await carryOn()
  await until(async () => (await app.deadLetters.list({ first: 1 })).edges.length === 1, 'the dead letter')
  const [letter] = (await app.deadLetters.list({ first: 1 })).edges.map(({ node }) => node)
  expect(letter).toMatchObject({ data: { orderId: order.id }, error: expect.stringContaining('stalled') })
  // A worker that survives does the rest.
  expect((await app.deadLetters.replay(testAccount(), { ids: [letter?.id as string] })).refused).toEqual([])
  await until(() => orderIs(order.id, 'CONFIRMED', 'CAPTURED'), 'the capture')
  await db.sql('delete from dead_letters')
  await expectSettled(event)
})

describe('a worker killed in voidPayment', () => {
  test.each(['before provider void', 'after provider void', 'after checkout voidPayment'])(
    '%s: the money is given back',
    async (point) => {
      const event = await insertEvent(db)
      const [loser, winner] = [testAccount(), testAccount()]
      const lost = await leavePaying(loser, event, [1])
      // The hold runs out, another fan takes the seat, and only then does the authorization return.
      const [{ hold_id }] = (await db.sql('select hold_id from orders where id = $1', [lost])) as [
        { hold_id: string },
      ]
      await runOut(db, { eventId: event.id, id: hold_id } as HoldView)
      await hold(winner, event, [1])
      await app.checkout.settle(lost)
      expect(await orderIs(lost, 'SEATS_GONE', 'AUTHORIZED')).toBe(true)
      await kill(point)
      await carryOn()
      await until(() => orderIs(lost, 'SEATS_GONE', 'VOIDED'), 'the void')
      await until(async () => (await app.queues.counts()).voidPayment?.active === 0, 'the killed run')
      expect(await atProvider(lost)).toBe('voided')
      await expectSettled(event)
    },
  )
})

describe('a worker killed in settleOrders', () => {
  test.each(['before provider authorize', 'after provider authorize', 'after checkout settleStuck'])(
    '%s: the order is settled',
    async (point) => {
      const event = await insertEvent(db)
      const orderId = await leavePaying(testAccount(), event, [4, 5])
      await kill(point)
      // The next settler may take over after a while.
      await db.sql(`update orders set settler_at = now() - interval '1 minute' where settler_at is not null`)
      await carryOn()
      await until(() => orderIs(orderId, 'CONFIRMED', 'CAPTURED'), 'the settler and the capture')
      await expectSettled(event)
    },
  )

  test('after checkout emitAgain: a capture that Redis had lost is made', async () => {
    const event = await insertEvent(db)
    const order = await buy(testAccount(), event, [6])
    await db.sql('delete from outbox')
    await db.sql(`update orders set changed_at = now() - interval '5 minutes'`)
    await kill('after checkout emitAgain')
    await carryOn()
    await until(() => orderIs(order.id, 'CONFIRMED', 'CAPTURED'), 'the capture')
    await expectSettled(event)
  })
})

describe('a worker killed in expireHolds', () => {
  test.each(['before holds sweep', 'after holds sweep'])(
    '%s: the seats are free, and the map shows it',
    async (point) => {
      const event = await insertEvent(db)
      const held = await hold(testAccount(), event, [7, 8])
      await app.seatMap.section(event.id, 1)
      await runOut(db, held)
      await kill(point)
      await carryOn()
      await until(
        async () =>
          (await db.sql('select 1 from holds where event_id = $1 and outcome is null', [event.id])).length ===
          0,
        'the sweep',
      )
      await until(async () => (await app.seatMap.counts(event.id)).available === 40, 'the map')
      await expectSettled(event)
    },
  )
})

describe('a worker killed in rebuildMaps', () => {
  test.each(['before seatMap rebuildHot', 'after seatMap rebuildHot'])(
    '%s: the map comes back',
    async (point) => {
      const event = await insertEvent(db)
      await hold(testAccount(), event, [9, 10, 11])
      await kill(point)
      await app.redis.flushall()
      await carryOn()
      await until(async () => (await app.seatMap.counts(event.id)).held === 3, 'the map')
      await expectSettled(event)
    },
  )
})

describe('a worker killed in callPlaces', () => {
  test.each(['before pacer tick', 'after pacer tick'])(
    '%s: the ticks go on, and no fan is called twice',
    async (point) => {
      const event = await insertEvent(db, { waitingRoom: true, rate: 2 })
      for (let i = 0; i < 12; i++) {
        await app.waitingRoom.join(
          { account: testAccount(), deviceId: `device-${i}-of-this-test`, admissionToken: null },
          { eventId: event.id },
        )
      }
      await kill(point)
      await carryOn()
      const admitted = async () =>
        (await db.sql('select admitted_up_to from rooms where event_id = $1', [event.id]))[0]?.admitted_up_to
      await until(async () => (await admitted()) === 12, 'every fan to be called')
      // At most one tick a second: the kill does not break the operator's rate.
      const calls = await db.sql<{ called: number; seconds: number }>(
        `select admitted_up_to - lag(admitted_up_to, 1, 0) over (order by tick) as called,
            coalesce(extract(epoch from at - lag(at) over (order by tick)), 1)::float8 as seconds
           from calls where event_id = $1 order by tick`,
        [event.id],
      )
      expect(calls.map(({ called }) => called)).toEqual([2, 2, 2, 2, 2, 2])
      expect(Math.min(...calls.map(({ seconds }) => seconds))).toBeGreaterThan(0.89)
      await expectInvariants(db, event.id)
    },
  )
})

test.each([1, -1])(
  'a worker whose clock is %i hour wrong dies: every schedule goes on by the other clocks',
  async (hoursOff) => {
    const event = await insertEvent(db)
    await runOut(db, await hold(testAccount(), event, [1]))
    // By now BullMQ has scheduled the next run by the killed worker's clock.
    await kill('before holds sweep', { hoursOff })
    const rounds = { sweep: 0, rebuild: 0 }
    const count = (round: keyof typeof rounds, eventId: string) => {
      if (eventId === event.id) rounds[round]++
      return 0
    }
    const counting = {
      ...app,
      holds: { sweep: async (eventId: string) => count('sweep', eventId) },
      seatMap: {
        ...app.seatMap,
        rebuildHot: async (eventId: string) => ({ differed: count('rebuild', eventId) }),
      },
    }
    jobs = await startJobs(counting, { timings: QUICK })
    // The killed run is repeated, whatever the clocks say.
    await until(() => rounds.sweep >= 3 && rounds.rebuild >= 3, 'further rounds')
  },
)

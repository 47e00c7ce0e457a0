import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { type RunningJobs, startJobs } from '../../src/jobs/index.ts'
import type { Account } from '../../src/sale/caller.ts'
import type { HoldView } from '../../src/sale/holds/holds.ts'
import { newId } from '../../src/sale/ids.ts'
import type { OrderView } from '../../src/sale/orders/orders.ts'
import type { WaitlistEntryView } from '../../src/sale/waitlist/waitlist.ts'
import { cancelOrder } from '../../src/sql/orders/orderTransitions.ts'
import { offerWaitlist } from '../../src/sql/waitlist.ts'
import { runOut, testAccount } from '../support/checkout.ts'
import { testDatabase } from '../support/database.ts'
import { insertEvent, type TestEvent } from '../support/event.ts'
import { ask, isHold } from '../support/holds.ts'
import { expectInvariants } from '../support/invariants.ts'
import { QUICK, testJobApp, until } from '../support/jobs.ts'
import { testRedis } from '../support/redis.ts'
import { workersToKill } from '../support/workerToKill.ts'

const db = await testDatabase()
const redis = await testRedis()
const app = await testJobApp(db.url, redis.url)
const another = await testJobApp(db.url, redis.url)
const kill = workersToKill(db.url, redis.url)
const running: RunningJobs[] = []

afterEach(async () => {
  for (const jobs of running.splice(0)) await jobs.close(5_000)
  await app.redis.flushall()
  await db.sql('delete from sales')
})
afterAll(() => Promise.all([app.close(), another.close()]))

async function work(...apps: (typeof app)[]) {
  for (const worker of apps) running.push(await startJobs(worker, { timings: QUICK }))
}

async function buy(account: Account, hold: HoldView): Promise<OrderView> {
  const input = { holdId: hold.id, paymentMethod: 'pm_card_visa', idempotencyKey: randomUUID() }
  return (await app.checkout.checkout(account, input)) as OrderView
}

/** Sells four seats in two orders, captures neither, and lets the fans wait for two seats each. */
async function soldOut(fans: readonly Account[]) {
  const event = await insertEvent(db, { sections: [{ seats: 4 }] })
  const orders: OrderView[] = []
  for (const seatNos of [
    [1, 2],
    [3, 4],
  ]) {
    const account = testAccount()
    orders.push(await buy(account, (await ask(app.holds, account, event, seatNos)) as HoldView))
  }
  const entries: WaitlistEntryView[] = []
  for (const fan of fans) {
    entries.push((await app.waitlist.join(fan, { eventId: event.id, quantity: 2 })) as WaitlistEntryView)
  }
  return { event, orders, entries }
}

async function offerOf(account: Account, entry: WaitlistEntryView): Promise<HoldView> {
  await until(
    async () => (await app.waitlist.find(account, entry.id))?.state === 'OFFERED',
    `the offer to ${account.id}`,
  )
  const { holdId } = (await app.waitlist.find(account, entry.id)) as WaitlistEntryView
  return (await app.holds.find(account, holdId as string)) as HoldView
}

const isMailed = async ({ id }: WaitlistEntryView) =>
  (await db.sql('select 1 from waitlist_entries where id = $1 and mailed_at is not null', [id])).length === 1

const holdsOf = (event: TestEvent, account: Account) =>
  db.sql('select id from holds where event_id = $1 and account_id = $2', [event.id, account.id])

const [ana, bob, cleo] = [testAccount(), testAccount(), testAccount()]

test('seats that come back are offered to one entry after the other, and then go on sale', async () => {
  const { event, orders, entries } = await soldOut([ana, bob])
  const [a, b] = entries as [WaitlistEntryView, WaitlistEntryView]
  await work(app, another)
  await cancelOrder(db, event.id, orders[0]?.id as string)
  const first = await offerOf(ana, a)
  await until(() => isMailed(a), 'the mail')
  await until(async () => (await app.sales.find(event.id))?.counts.held === 2, 'the map')
  expect((await app.sales.refresh(event.id))?.state).toBe('SOLD_OUT')
  await runOut(db, first)
  const second = await offerOf(bob, b)
  expect(second.items.map(({ seatNo }) => seatNo)).toEqual([1, 2])
  expect(await buy(bob, second)).toMatchObject({ state: 'CONFIRMED' })
  await until(
    async () =>
      (await db.sql('select 1 from sales where event_id = $1 and waitlist_only', [event.id])).length === 0,
    'the end of the waitlist',
  )
  await app.sales.refresh(event.id)
  expect(await app.waitlist.find(ana, a.id)).toMatchObject({ state: 'LAPSED' })
  expect(await app.waitlist.find(bob, b.id)).toMatchObject({ state: 'FULFILLED' })
  await expectInvariants(db, event.id)
})

test('seats that fit no entry are on sale again, and the state of the sale shows it', async () => {
  const { event, orders } = await soldOut([])
  const entry = await app.waitlist.join(ana, { eventId: event.id, quantity: 3 })
  expect(entry).toMatchObject({ state: 'WAITING' })
  expect((await app.sales.refresh(event.id))?.state).toBe('SOLD_OUT')
  await work(app)
  await cancelOrder(db, event.id, orders[1]?.id as string)
  await until(async () => (await app.sales.find(event.id))?.state === 'ON_SALE', 'the opening')
  expect(isHold(await ask(app.holds, testAccount(), event, [3]))).toBe(true)
  await expectInvariants(db, event.id)
})

describe('a worker killed', () => {
  test.each([
    'before waitlist offer',
    'after waitlist offer',
    'before waitlist mailOffer',
    'after waitlist mailOffer',
  ])('%s: one offer is made, and mailed', async (point) => {
    const { event, orders, entries } = await soldOut([ana, bob])
    const [a] = entries as [WaitlistEntryView]
    await cancelOrder(db, event.id, orders[0]?.id as string)
    await kill(point)
    await work(app)
    await offerOf(ana, a)
    await until(() => isMailed(a), 'the mail')
    expect(await holdsOf(event, ana)).toHaveLength(1)
    expect(await holdsOf(event, bob)).toHaveLength(0)
    await expectInvariants(db, event.id)
  })

  test('between an offer’s commit and its publication: the map and the mail follow', async () => {
    const { event, orders, entries } = await soldOut([cleo])
    const [c] = entries as [WaitlistEntryView]
    await app.seatMap.section(event.id, 1)
    await cancelOrder(db, event.id, orders[0]?.id as string)
    expect(await offerWaitlist(db, event.id, newId('hld', event.id))).toMatchObject({ outcome: 'offered' })
    await work(app)
    await until(() => isMailed(c), 'the mail')
    await until(async () => (await app.seatMap.counts(event.id)).held === 2, 'the map')
    expect(await holdsOf(event, cleo)).toHaveLength(1)
    await expectInvariants(db, event.id)
  })
})

import pino from 'pino'
import { expect, test } from 'vitest'
import { createEventRefunds } from '../../../src/sale/orders/eventRefunds.ts'
import { createPublishOrderChange } from '../../../src/sale/orders/orderChanges.ts'
import type { OrderView } from '../../../src/sale/orders/orders.ts'
import { createOrderRefunds } from '../../../src/sale/orders/refundOrder.ts'
import { opsAccount, testAccount, testCheckout, workOutbox } from '../../support/checkout.ts'
import { testDatabase } from '../../support/database.ts'
import { insertEvent, type TestEvent } from '../../support/event.ts'
import { expectSettled } from '../../support/settled.ts'

const db = await testDatabase()
const sale = testCheckout(db)
const { catalogue, orders, publish } = sale
const ops = opsAccount()
const publishChange = createPublishOrderChange({ publish, seatMap: { publish() {} } })
const refunds = createOrderRefunds({ db, orders, publishChange })
const deps = { db, catalogue, sales: { refresh: async () => null }, publish, log: pino({ enabled: false }) }
const eventRefunds = createEventRefunds({ ...deps, refunds })
const { start, progress, work } = eventRefunds

async function buy(event: TestEvent, seatNo: number, card?: string): Promise<OrderView> {
  const account = testAccount()
  return (await sale.pay(account, await sale.hold(account, event, [seatNo]), card)) as OrderView
}

async function sold(orders: number, card?: string): Promise<TestEvent> {
  const event = await insertEvent(db, { sections: [{ seats: 20 }] })
  for (let no = 1; no <= orders; no++) await buy(event, no, card)
  await workOutbox(db, sale)
  return event
}

/** Lets the second of the last round pass. */
const nextSecond = ({ id }: TestEvent) =>
  db.sql(`update event_refunds set worked_at = worked_at - interval '1 second' where event_id = $1`, [id])

async function workToTheEnd(event: TestEvent): Promise<number> {
  for (let rounds = 1; rounds < 50; rounds++) {
    await nextSecond(event)
    await work(event.id)
    if ((await progress(event.id))?.finishedAt) return rounds
  }
  throw new Error('the refund does not end')
}

const EUR = (amount: bigint) => ({ amount, currency: 'EUR' })

test('every order of a called-off event is refunded, a few each second, and the progress says how far it is', async () => {
  const event = await sold(7)
  expect(await progress(event.id)).toBeNull()
  expect(await start(ops, { eventId: event.id, reason: 'ill', perSecond: 3 })).toMatchObject({
    refunded: 0,
    left: 7,
    finishedAt: null,
  })
  // Within a second it refunds three, however many processes work.
  await Promise.all(Array.from({ length: 8 }, () => work(event.id)))
  expect(await progress(event.id)).toMatchObject({
    refunded: 3,
    left: 4,
    owed: EUR(16_350n),
    returned: EUR(0n),
  })
  await workToTheEnd(event)
  expect(await progress(event.id)).toMatchObject({ refunded: 7, left: 0, owed: EUR(38_150n) })
  await workOutbox(db, sale)
  expect(await progress(event.id)).toMatchObject({ owed: EUR(0n), returned: EUR(38_150n), refused: 0 })
  expect(await db.sql('select distinct state, payment from orders where event_id = $1', [event.id])).toEqual([
    { state: 'CANCELLED', payment: 'REFUNDED' },
  ])
  const [row] = await db.sql('select ends_at <= now() as over from sales where event_id = $1', [event.id])
  expect(row?.over).toBe(true)
  expect(
    await db.sql(
      `select action, count(*)::int as n from audit_entries where event_id = $1 group by action order by action`,
      [event.id],
    ),
  ).toEqual([
    { action: 'refundEvent', n: 1 },
    { action: 'refundOrder', n: 7 },
  ])
})

test('an order that was being paid when the event was called off is refunded as well', async () => {
  const event = await sold(1)
  const account = testAccount()
  const hold = await sale.hold(account, event, [2])
  await start(ops, { eventId: event.id, reason: 'ill' })
  await nextSecond(event)
  await work(event.id)
  await nextSecond(event)
  await work(event.id)
  // The hold may still be paid, so the refund waits for it.
  expect((await progress(event.id))?.finishedAt).toBeNull()
  await sale.pay(account, hold)
  await workToTheEnd(event)
  await workOutbox(db, sale)
  expect(await progress(event.id)).toMatchObject({ refunded: 2, left: 0 })
})

test('the work goes on after its process died in the middle, and refunds no order twice', async () => {
  const event = await sold(6)
  await start(ops, { eventId: event.id, reason: 'ill', perSecond: 4 })
  let calls = 0
  const dying = createEventRefunds({
    ...deps,
    refunds: {
      refundOrder: (actor, input) => {
        calls += 1
        // It dies after a commit whose reply it never saw, and before the next order.
        if (calls > 2) return Promise.reject(new Error('killed'))
        return refunds.refundOrder(actor, input).then((order) => {
          if (calls === 2) throw new Error('killed')
          return order
        })
      },
    },
  })
  await dying.work(event.id)
  expect(await progress(event.id)).toMatchObject({ refunded: 2, left: 4 })
  await workToTheEnd(event)
  await workOutbox(db, sale)
  expect(await progress(event.id)).toMatchObject({ refunded: 6, left: 0, returned: EUR(32_700n) })
})

test('a second call changes the rate and goes on; a refund that the provider refuses is counted', async () => {
  const event = await sold(4, 'pm_refund_refused')
  await start(ops, { eventId: event.id, reason: 'ill', perSecond: 1 })
  await work(event.id)
  expect(await start(ops, { eventId: event.id, reason: 'still ill', perSecond: 100 })).toMatchObject({
    reason: 'ill',
    perSecond: 100,
    refunded: 1,
    left: 3,
  })
  await workToTheEnd(event)
  const jobs = await db.sql(`delete from outbox where job = 'refundPayment' returning data`)
  for (const { data } of jobs)
    await expect(sale.refundPayment(data.refundId)).rejects.toThrow('refuses the refund')
  expect(await progress(event.id)).toMatchObject({ refunded: 4, left: 0, refused: 4, owed: EUR(21_800n) })
  await db.sql(`update sandbox_payments set payment_method = 'pm_card_visa' where event_id = $1`, [event.id])
  for (const { data } of jobs) await sale.refundPayment(data.refundId)
  expect(await progress(event.id)).toMatchObject({ refused: 0, owed: EUR(0n), returned: EUR(21_800n) })
})

test('a sale that has not opened is paused, and its refund ends at once', async () => {
  const event = await insertEvent(db, { opensInSeconds: 3_600 })
  await start(ops, { eventId: event.id, reason: 'ill' })
  await work(event.id)
  expect(await progress(event.id)).toMatchObject({ finishedAt: expect.any(Date), refunded: 0, left: 0 })
  expect(await db.sql('select paused from sales where event_id = $1', [event.id])).toEqual([{ paused: true }])
})

test.each([
  [{ eventId: 'evt_none', reason: 'r' }, 'eventId'],
  [{ reason: '' }, 'reason'],
  [{ reason: 'r', perSecond: 0 }, 'perSecond'],
  [{ reason: 'r', perSecond: 101 }, 'perSecond'],
])('input that cannot be right is refused: %j', async (input, path) => {
  const { id: eventId } = await insertEvent(db)
  await expect(start(ops, { eventId, ...input })).rejects.toMatchObject({
    code: 'BAD_USER_INPUT',
    extensions: { faults: [{ path: ['input', path] }] },
  })
  expect(await progress(eventId)).toBeNull()
})

test('everything adds up', () => expectSettled(db, sale))

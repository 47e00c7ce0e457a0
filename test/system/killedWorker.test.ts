import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { Account } from '../../src/sale/caller.ts'
import type { HoldView } from '../../src/sale/holds/holdView.ts'
import { newId } from '../../src/sale/ids.ts'
import type { OrderView } from '../../src/sale/orders/orders.ts'
import { claimOrder } from '../../src/sql/orders/claims.ts'
import { atNetwork, runOut, testAccount } from '../support/checkout.ts'
import { insertEvent, type TestEvent } from '../support/event.ts'
import { QUICK, until } from '../support/jobs.ts'
import { killedWorkers } from '../support/killedWorkers.ts'

const { db, app, kill, killPoints, carryOn, hold, expectSettled } = await killedWorkers()

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
  return (await atNetwork(db, orderId))[0]?.state
}

describe('a worker killed in relayOutbox', () => {
  test.each(killPoints('before queues add', 'after queues add'))(
    '%s: the order is captured once',
    async (point) => {
      const event = await insertEvent(db)
      const order = await buy(testAccount(), event, [1, 2])
      await kill(point)
      // Its transaction is rolled back: the row is there again, and the job that it added has the same id.
      const waiting = await db.sql(`select data->>'orderId' as id from outbox where job = 'capturePayment'`)
      expect(waiting).toEqual([{ id: order.id }])
      await carryOn()
      await until(() => orderIs(order.id, 'CONFIRMED', 'CAPTURED'), 'the capture')
      await expectSettled(event)
    },
  )
})

describe('a worker killed in capturePayment', () => {
  test.each(killPoints('before provider capture', 'after provider capture', 'after checkout capture'))(
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

describe('a worker killed in cancelPayment', () => {
  test.each(killPoints('before provider cancel', 'after provider cancel', 'after checkout cancelPayment'))(
    '%s: the money is given back',
    async (point) => {
      const event = await insertEvent(db)
      const [loser, winner] = [testAccount(), testAccount()]
      const lost = await leavePaying(loser, event, [1])
      // The card is authorized, the process dies, the order's time runs out, and another fan takes the seat.
      const [authorized] = await db.sql<{ intent: string }>(
        `insert into sandbox_payments
             (intent_id, order_id, event_id, payment_method, amount, currency, state, confirmed_at)
           select 'pi_' || id, id, event_id, payment_method, amount, currency, 'authorized', now()
             from orders where id = $1
           returning intent_id as intent`,
        [lost],
      )
      await db.sql('update orders set intent_id = $2 where id = $1', [lost, authorized?.intent])
      const [{ hold_id }] = (await db.sql('select hold_id from orders where id = $1', [lost])) as [
        { hold_id: string },
      ]
      await runOut(db, { eventId: event.id, id: hold_id } as HoldView)
      await hold(winner, event, [1])
      await app.checkout.settle(lost)
      expect(await orderIs(lost, 'SEATS_GONE', 'NONE')).toBe(true)
      await kill(point)
      await carryOn()
      await until(() => orderIs(lost, 'SEATS_GONE', 'VOIDED'), 'the void')
      await until(async () => (await app.queues.counts()).cancelPayment?.active === 0, 'the killed run')
      expect(await atProvider(lost)).toBe('cancelled')
      await expectSettled(event)
    },
  )
})

describe('a worker killed in settleOrders', () => {
  test.each(
    killPoints(
      'before provider prepare',
      'after provider prepare',
      'before provider confirm',
      'after provider confirm',
      'after checkout settleStuck',
    ),
  )('%s: the order is settled', async (point) => {
    const event = await insertEvent(db)
    const orderId = await leavePaying(testAccount(), event, [4, 5])
    await kill(point)
    // The next settler may take over after a while.
    await db.sql(`update orders set settler_at = now() - interval '1 minute' where settler_at is not null`)
    await carryOn()
    await until(() => orderIs(orderId, 'CONFIRMED', 'CAPTURED'), 'the settler and the capture')
    await expectSettled(event)
  })

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

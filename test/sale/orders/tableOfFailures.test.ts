import { afterEach, describe, expect, test } from 'vitest'
import { guard } from '../../../src/payments/guard.ts'
import { createRegistry, ProviderNotConfigured } from '../../../src/payments/registry.ts'
import { createSandbox } from '../../../src/payments/sandbox.ts'
import type { OrderView } from '../../../src/sale/orders/orders.ts'
import { RefundRefused } from '../../../src/sale/orders/refunds.ts'
import { SeatsGone } from '../../../src/sale/refusals.ts'
import { setSandboxOutage } from '../../../src/sql/sandboxPayments.ts'
import { CALM, runOut, testAccount, testCheckout, workOutbox } from '../../support/checkout.ts'
import { testDatabase } from '../../support/database.ts'
import { insertEvent } from '../../support/event.ts'
import { LONG } from '../../support/long.ts'
import { paymentTable } from '../../support/paymentTable.ts'
import { expectSettled } from '../../support/settled.ts'

const database = await testDatabase()
const sale = testCheckout(database)
const { held, paying, pass, work, becomes, endOf } = paymentTable(database, sale)
afterEach(() => expectSettled(database, sale))

const PAID = ['CONFIRMED CAPTURED', 'captured 10900 0']
const GIVEN_BACK = ['SEATS_GONE VOIDED', 'cancelled 0 0']
const CANCELLED = ['CANCELLED VOIDED', 'cancelled 0 0']

async function bought(paymentMethod = 'pm_card_visa') {
  const made = await held()
  const order = (await sale.pay(made.account, made.hold, paymentMethod)) as OrderView
  expect(order).toMatchObject({ state: 'CONFIRMED' })
  return { ...made, orderId: order.id }
}

describe('a payment that is unknown', () => {
  test('and approved later buys the seats', async () => {
    const { orderId } = await paying('pm_approved_later')
    await pass(orderId, 1)
    await work()
    expect(await endOf(orderId)).toEqual(PAID)
  })

  test('and declined later leaves the hold for another card', async () => {
    const { account, hold, orderId } = await paying('pm_declined_later')
    await pass(orderId, 1)
    await work()
    expect(await endOf(orderId)).toEqual(['DECLINED NONE', 'cancelled 0 0'])
    expect(await sale.pay(account, hold)).toMatchObject({ state: 'CONFIRMED' })
  })

  test('for a quarter of an hour is cancelled at the provider first, and frees its seats after', async () => {
    const { event, account, orderId } = await paying('pm_unknown')
    await pass(orderId, 14)
    await sale.settleStuck()
    await sale.holds.sweep(event.id)
    await expect(sale.hold(testAccount(), event, [1])).rejects.toThrow('SeatsTaken')
    await pass(orderId, 1.1)
    await work()
    expect(await endOf(orderId)).toEqual(GIVEN_BACK)
    // The buyer is free, and so are the seats.
    await sale.hold(account, event, [1, 2])
  })

  test('for a day, from a provider that never answers, ends all the same, and its cancel follows', async () => {
    const { event, account, orderId } = await paying('pm_unknown')
    await setSandboxOutage(database, true)
    await pass(orderId, 16)
    await sale.settleStuck()
    // Its seats are its own until the provider has had two more minutes to answer.
    await expect(sale.hold(testAccount(), event, [1])).rejects.toThrow('SeatsTaken')
    expect(await endOf(orderId)).toEqual(['PAYING NONE', 'processing 0 0'])
    await pass(orderId, 2)
    await sale.settleStuck()
    expect(await endOf(orderId)).toEqual(['SEATS_GONE NONE', 'processing 0 0'])
    await sale.hold(account, event, [1, 2])
    await pass(orderId, 24 * 60)
    await database.sql('delete from outbox')
    await setSandboxOutage(database, false)
    await work()
    expect(await endOf(orderId)).toEqual(GIVEN_BACK)
  })
})

test('a cancel that comes after the capture is followed by a refund', async () => {
  const { event, account, hold } = await held()
  const slow = testCheckout(database, {
    wrap: (real) => ({
      ...real,
      async confirm(request) {
        const answer = await real.confirm(request)
        await runOut(database, hold)
        await sale.hold(testAccount(), event, [2])
        return answer
      },
    }),
  })
  const gone = (await slow.pay(account, hold, 'pm_captured_at_once')) as SeatsGone
  expect(gone).toBeInstanceOf(SeatsGone)
  const jobs = await workOutbox(database, sale)
  expect(jobs.map(({ job }) => job)).toEqual(['cancelPayment', 'refundPayment'])
  expect(await endOf(gone.orderId)).toEqual(['SEATS_GONE REFUNDED', 'captured 10900 10900'])
  expect(await sale.orders.find(account, gone.orderId)).toMatchObject({ refunded: 10_900n })
})

describe('a capture', () => {
  test('of an authorization that has lapsed cancels the order', async () => {
    const { orderId } = await bought()
    await database.sql(
      `update sandbox_payments set confirmed_at = now() - interval '8 days' where order_id = $1`,
      [orderId],
    )
    await work()
    expect(await endOf(orderId)).toEqual(CANCELLED)
  })

  test.each([10, 6 * 60])('that is unknown for %i minutes is made after that', async (minutes) => {
    const { orderId } = await bought('pm_capture_unknown')
    await expect(workOutbox(database, sale)).rejects.toThrow('out of order')
    await pass(orderId, minutes)
    await expect(sale.capture(orderId)).rejects.toThrow('out of order')
    expect(await endOf(orderId)).toEqual(['CONFIRMED AUTHORIZED', 'authorized 0 0'])
    await becomes(orderId, 'pm_card_visa')
    await work()
    expect(await endOf(orderId)).toEqual(PAID)
  })

  test('that is unknown to the last day cancels the order', async () => {
    const { orderId } = await bought('pm_capture_unknown')
    await database.sql('delete from outbox')
    await pass(orderId, 6 * 24 * 60 + 60)
    await work()
    expect(await endOf(orderId)).toEqual(CANCELLED)
  })

  test('that is refused for good cancels the order', async () => {
    const { orderId } = await bought('pm_capture_refused')
    await work()
    expect(await endOf(orderId)).toEqual(CANCELLED)
  })
})

describe('a refund', () => {
  /** An order whose money is taken, and that was then cancelled: it owes a refund. */
  async function owing(paymentMethod: string) {
    const { account, orderId } = await bought()
    await database.sql(`update orders set authorized_until = now() + interval '1 hour' where id = $1`, [
      orderId,
    ])
    const unlucky = testCheckout(database, {
      wrap: (real) => ({
        ...real,
        async capture(request) {
          await real.capture(request)
          throw new Error('connection reset')
        },
        retrieve: () => Promise.reject(new Error('connection reset')),
      }),
    })
    await unlucky.capture(orderId)
    await database.sql('delete from outbox')
    await becomes(orderId, paymentMethod)
    await sale.cancelPayment(orderId)
    await database.sql('delete from outbox')
    const refundId = `rfd${orderId.slice(3)}`
    expect(await endOf(orderId)).toEqual(['CANCELLED REFUND_OWED', 'captured 10900 0'])
    return { account, orderId, refundId }
  }

  test('that is refused for good stays owed, fails each time, and is made once the bank accepts it', async () => {
    const { orderId, refundId } = await owing('pm_refund_refused')
    for (let attempt = 0; attempt < 3; attempt++)
      await expect(sale.refundPayment(refundId)).rejects.toBeInstanceOf(RefundRefused)
    expect(await endOf(orderId)).toEqual(['CANCELLED REFUND_OWED', 'captured 10900 0'])
    expect(await database.sql('select state, refusals from refunds where id = $1', [refundId])).toEqual([
      { state: 'REFUSED', refusals: 3 },
    ])
    await becomes(orderId, 'pm_card_visa')
    // The settler emits it again, as any money that is owed.
    await pass(orderId, 5)
    await work()
    expect(await endOf(orderId)).toEqual(['CANCELLED REFUNDED', 'captured 10900 10900'])
  })

  test('whose reply is lost is read at the provider, and made once', async () => {
    const { orderId, refundId } = await owing('pm_refund_lost_reply')
    await expect(sale.refundPayment(refundId)).rejects.toThrow('the reply was lost')
    expect(await sale.refundPayment(refundId)).toBe('done')
    expect(await endOf(orderId)).toEqual(['CANCELLED REFUNDED', 'captured 10900 10900'])
  })

  test('that is pending stays owed until the provider reports it done', async () => {
    const { account, orderId, refundId } = await owing('pm_refund_pending')
    expect(await sale.refundPayment(refundId)).toBe('pending')
    expect(await sale.refundPayment(refundId)).toBe('pending')
    expect(await sale.orders.find(account, orderId)).toMatchObject({ payment: 'REFUND_OWED', refunded: 0n })
    await database.sql(`update sandbox_refunds set created_at = created_at - interval '1 minute'`)
    const [row] = await database.sql<{ intent: string }>(
      'select intent_id as intent from orders where id = $1',
      [orderId],
    )
    await sale.paymentChanged('sandbox', row?.intent as string)
    expect(await endOf(orderId)).toEqual(['CANCELLED REFUNDED', 'captured 10900 10900'])
  })

  test('is made once, however many jobs run', async () => {
    for (const card of ['pm_card_visa', 'pm_refund_lost_reply']) {
      const { orderId, refundId } = await owing(card)
      await Promise.allSettled(Array.from({ length: 4 }, () => sale.refundPayment(refundId)))
      await sale.refundPayment(refundId)
      expect(await endOf(orderId)).toEqual(['CANCELLED REFUNDED', 'captured 10900 10900'])
    }
  })
})

test('a provider that is out for an hour, with orders in every state, leaves no order and no money behind', async () => {
  const SEATS = LONG ? 200 : 48
  const event = await insertEvent(database, { sections: [{ seats: SEATS }] })
  const cards = [
    'pm_card_visa',
    'pm_unknown',
    'pm_needs_action',
    'pm_timeout',
    'pm_capture_unknown',
    'pm_card_declined',
  ]
  const quick = testCheckout(database, { timeoutMs: 30, patienceMs: 0 })
  const orders: string[] = []
  const made = Array.from({ length: SEATS }, async (_, i) => {
    const account = testAccount()
    const hold = await sale.hold(account, event, [i + 1])
    await quick.pay(account, hold, cards[i % cards.length])
    const [row] = await database.sql<{ id: string }>('select id from orders where hold_id = $1', [hold.id])
    if (row) orders.push(row.id)
  })
  await Promise.all(made)
  await setSandboxOutage(database, true)
  for (let minute = 0; minute < 60; minute += 10) {
    for (const id of orders) await pass(id, 10)
    await sale.settleStuck()
  }
  // Each order has ended: the provider's silence keeps no seat, and no buyer.
  expect(
    await database.sql(`select id from orders where state = 'PAYING' and event_id = $1`, [event.id]),
  ).toEqual([])
  await setSandboxOutage(database, false)
  await database.sql(
    `update sandbox_payments set payment_method = 'pm_card_visa' where payment_method = 'pm_capture_unknown'`,
  )
  // A new process: its breaker has seen no outage.
  const later = testCheckout(database)
  for (const id of orders) await pass(id, 5)
  await work(later)
  // An intent whose reply was lost holds nothing.
  const ends = await Promise.all(
    orders.map(async (id) => (await endOf(id)).filter((end) => end !== 'unconfirmed 0 0').join(', ')),
  )
  for (const end of ends) {
    expect([
      'CONFIRMED CAPTURED, captured 5450 0',
      'SEATS_GONE VOIDED, cancelled 0 0',
      'SEATS_GONE NONE',
      'DECLINED NONE, cancelled 0 0',
    ]).toContain(end)
  }
})

test('an order belongs to its provider, whatever the configuration says later', async () => {
  const network = (name: string) =>
    guard(createSandbox(database, CALM, { publicUrl: 'http://localhost:4000', name }), {
      takePermit: async () => 0,
    })
  const process = (...names: [string, ...string[]]) => {
    const [first, ...others] = names
    return testCheckout(database, { payments: createRegistry([network(first), ...others.map(network)]) })
  }
  const before = process('old')
  const { account, hold, event } = await held()
  const order = (await before.pay(account, hold)) as OrderView
  const waiting = (await before.pay(
    account,
    await before.hold(account, event, [3]),
    'pm_needs_action',
  )) as OrderView

  const without = process('new')
  await expect(without.capture(order.id)).rejects.toBeInstanceOf(ProviderNotConfigured)
  await expect(without.settle(waiting.id)).rejects.toBeInstanceOf(ProviderNotConfigured)

  const after = process('new', 'old')
  const next = (await after.pay(account, await after.hold(account, event, [4]))) as OrderView
  await database.sql(`update sandbox_payments set state = 'authorized' where order_id = $1`, [waiting.id])
  await after.settle(waiting.id)
  await work(after)
  for (const { id } of [order, waiting, next]) expect((await endOf(id))[0]).toBe('CONFIRMED CAPTURED')
  expect(
    await database.sql('select provider from orders where event_id = $1 order by placed_at', [event.id]),
  ).toEqual([{ provider: 'old' }, { provider: 'old' }, { provider: 'new' }])
})

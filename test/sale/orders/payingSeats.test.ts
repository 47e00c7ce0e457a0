import { afterEach, describe, expect, test } from 'vitest'
import type { OrderView } from '../../../src/sale/orders/orders.ts'
import { HoldInCheckout, PaymentDeclined, SeatsGone } from '../../../src/sale/refusals.ts'
import { setSandboxOutage } from '../../../src/sql/orders/sandboxPayments.ts'
import { opsAccount, runOut, testAccount, testCheckout, workOutbox } from '../../support/checkout.ts'
import { testDatabase } from '../../support/database.ts'
import { paymentTable } from '../../support/paymentTable.ts'
import { expectSettled } from '../../support/settled.ts'

const database = await testDatabase()
const sale = testCheckout(database)
const { held, paying, pass, work, endOf } = paymentTable(database, () => sale)
afterEach(async () => {
  await setSandboxOutage(database, false)
  await work()
  await expectSettled(database, sale)
})

const seatsOf = (eventId: string) =>
  database.sql('select no, status from seats where event_id = $1 and no <= 2 order by no', [eventId])

describe('the seats of an order that is PAYING', () => {
  test('belong to it far beyond the end of its hold, and its approval buys them', async () => {
    const { event, account, hold, orderId } = await paying('pm_approved_later')
    // The hold had ten minutes, and today's extension would have ended after five more.
    await pass(orderId, 14.5)
    for (const seat of [1, 2])
      await expect(sale.hold(testAccount(), event, [seat])).rejects.toThrow('SeatsTaken')
    expect(await sale.holds.sweep(event.id)).toBe(0)
    expect(await sale.holds.find(account, hold.id)).toMatchObject({ state: 'ACTIVE' })
    await sale.settleStuck()
    expect(await sale.orders.find(account, orderId)).toMatchObject({ state: 'CONFIRMED' })
  })

  test('come back after the sale’s own time, where it sets another one', async () => {
    const { event, account, hold } = await held()
    await database.sql('update sales set payment_minutes = 3 where event_id = $1', [event.id])
    const quick = testCheckout(database, { patienceMs: 0 })
    const { id } = (await quick.pay(account, hold, 'pm_unknown')) as { id: string }
    await pass(id, 3.1)
    await sale.settleStuck()
    expect(await endOf(id)).toEqual(['SEATS_GONE VOIDED', 'cancelled 0 0'])
    expect(await seatsOf(event.id)).toEqual([
      { no: 1, status: 0 },
      { no: 2, status: 0 },
    ])
  })

  test('and its buyer are free at once where another fan has a seat, though the provider is silent', async () => {
    const { event, account, hold, orderId } = await paying('pm_unknown')
    await setSandboxOutage(database, true)
    await runOut(database, hold)
    await sale.hold(testAccount(), event, [2])
    expect(await sale.holds.release(account, hold.id)).toBeInstanceOf(HoldInCheckout)
    sale.mapChanges.length = 0

    expect(await sale.endLost()).toBe(1)
    expect(await sale.endLost()).toBe(0)
    expect(await endOf(orderId)).toEqual(['SEATS_GONE NONE', 'processing 0 0'])
    expect(sale.mapChanges).toEqual([expect.objectContaining({ seatNo: 1, status: 0 })])
    // Neither the hold nor its seats count against the buyer.
    await database.sql('update sales set ticket_limit = 2 where event_id = $1', [event.id])
    await sale.hold(account, event, [1, 3])

    await expect(sale.cancelPayment(orderId)).rejects.toThrow('out of order')
    await setSandboxOutage(database, false)
    await workOutbox(database, sale)
    expect(await endOf(orderId)).toEqual(['SEATS_GONE VOIDED', 'cancelled 0 0'])
  })

  test('are lost or sold, never both, where a fan takes one as the approval comes', async () => {
    const ends = new Set<string>()
    for (let round = 0; round < 8; round++) {
      const { event, hold, orderId } = await paying('pm_timeout', { timeoutMs: 50 })
      await runOut(database, hold)
      await Promise.all([
        sale.hold(testAccount(), event, [2]).catch(() => {}),
        sale.settle(orderId).catch(() => {}),
        sale.endLost(),
        sale.settle(orderId).catch(() => {}),
      ])
      await sale.settle(orderId)
      await workOutbox(database, sale)
      ends.add((await endOf(orderId))[0] as string)
    }
    for (const end of ends)
      expect(['CONFIRMED CAPTURED', 'SEATS_GONE VOIDED', 'SEATS_GONE NONE']).toContain(end)
  })
})

describe('payments of one hold, one after the other,', () => {
  test('keep their bounds through an exchange for other seats', async () => {
    const made = await held()
    const first = await wait(made)
    await passAll(first.orderId, 14)
    await sale.pay(made.account, made.hold, 'pm_card_declined')
    const before = await boundsOf(made.hold.id)
    expect(before.extended).toBe(true)
    const exchanged = await sale.holds.exchange(
      { account: made.account, deviceId: null, admissionToken: null },
      { holdId: made.hold.id, idempotencyKey: 'other seats', seats: [3, 4].map(made.event.seatId) },
    )
    const hold = exchanged as typeof made.hold
    expect(await boundsOf(hold.id)).toEqual(before)
    const second = await wait({ ...made, hold })
    expect(second.minutes).toBeCloseTo(15, 1)
    await passAll(second.orderId, 14)
    await database.sql(
      "update holds set payments_from = payments_from - interval '14 minutes' where id = $1",
      [hold.id],
    )
    const last = await wait({ ...made, hold })
    expect(last.minutes).toBeCloseTo(2, 1)
    await passAll(last.orderId, 2)
  })

  async function boundsOf(holdId: string) {
    const [row] = await database.sql<{ until: Date; extended: boolean }>(
      'select expires_at as until, extended_at is not null as extended from holds where id = $1',
      [holdId],
    )
    return row as { until: Date; extended: boolean }
  }

  /** Starts a payment that waits for its buyer, and returns its minutes. */
  async function wait({ account, hold }: Awaited<ReturnType<typeof held>>) {
    const order = (await sale.pay(account, hold, 'pm_needs_action')) as OrderView
    expect(order).toMatchObject({ state: 'PAYING' })
    const [row] = await database.sql<{ minutes: number }>(
      'select extract(epoch from pay_until - placed_at)::float8 / 60 as minutes from orders where id = $1',
      [order.id],
    )
    return { orderId: order.id, minutes: row?.minutes }
  }

  /** Time passes for the hold, its last order and those before it. */
  async function passAll(orderId: string, minutes: number) {
    await pass(orderId, minutes)
    await database.sql(
      `update orders set placed_at = placed_at - make_interval(mins => $2)
       where id <> $1 and hold_id = (select hold_id from orders where id = $1)`,
      [orderId, minutes],
    )
  }

  test('keep its seats for twice the time of a payment, and no longer', async () => {
    const made = await held()
    let order = await wait(made)
    expect(order.minutes).toBeCloseTo(15, 1)
    await passAll(order.orderId, 14)
    order = await wait(made)
    expect(order.minutes).toBeCloseTo(15, 1)
    await passAll(order.orderId, 14)
    order = await wait(made)
    expect(order.minutes).toBeCloseTo(2, 1)
    await passAll(order.orderId, 2)
    expect(await sale.pay(made.account, made.hold)).toMatchObject({ orderId: order.orderId })
    expect(await seatsOf(made.event.id)).toEqual([
      { no: 1, status: 0 },
      { no: 2, status: 0 },
    ])
  })

  test('sell it after its end for as long, and no longer', async () => {
    const made = await held()
    await runOut(database, made.hold)
    const first = await wait(made)
    await passAll(first.orderId, 14)
    expect(await sale.pay(made.account, made.hold, 'pm_card_declined')).toBeInstanceOf(PaymentDeclined)
    await passAll(first.orderId, 17)
    await runOut(database, made.hold)
    expect(await sale.pay(made.account, made.hold)).toBeInstanceOf(SeatsGone)
    await sale.hold(testAccount(), made.event, [1, 2])
  })

  test('take nothing from a hold whose own time lasts longer', async () => {
    const made = await held([1, 2], { holdSeconds: 3_600 })
    const first = await wait(made)
    await passAll(first.orderId, 14)
    const second = await wait(made)
    await passAll(second.orderId, 14)
    const third = await wait(made)
    expect(third.minutes).toBeCloseTo(15, 1)
    expect(await sale.pay(made.account, made.hold)).toMatchObject({ state: 'CONFIRMED' })
  })
})

describe('a payment that ops end', () => {
  const ops = opsAccount()
  const end = (orderId: string, reason = 'The fan called.') => sale.endPayment(ops, { orderId, reason })
  const audit = (orderId: string) =>
    database.sql('select account_id, action, detail from audit_entries where subject = $1', [orderId])

  test.each(['pm_unknown', 'pm_needs_action', 'pm_timeout'])(
    'is cancelled at the provider, frees its seats, and is in the audit trail: %s',
    async (card) => {
      const { event, orderId } = await paying(card, { timeoutMs: 50 })
      expect(await end(orderId)).toEqual({ orderId, state: 'SEATS_GONE', payment: 'VOIDED' })
      expect(await endOf(orderId)).toEqual(['SEATS_GONE VOIDED', 'cancelled 0 0'])
      expect(await seatsOf(event.id)).toEqual([
        { no: 1, status: 0 },
        { no: 2, status: 0 },
      ])
      expect(await audit(orderId)).toEqual([
        { account_id: ops.id, action: 'endPayment', detail: { reason: 'The fan called.' } },
      ])
    },
  )

  test('stays as it is while the provider does not answer', async () => {
    const { event, orderId } = await paying('pm_unknown')
    await setSandboxOutage(database, true)
    await expect(end(orderId)).rejects.toMatchObject({ code: 'OVERLOADED' })
    expect(await endOf(orderId)).toEqual(['PAYING NONE', 'processing 0 0'])
    await expect(sale.hold(testAccount(), event, [1])).rejects.toThrow('SeatsTaken')
    expect(await audit(orderId)).toEqual([])
    await setSandboxOutage(database, false)
    await end(orderId)
  })

  test('is sold instead where the provider has taken the money', async () => {
    const { orderId } = await paying('pm_unknown')
    await database.sql(
      `update sandbox_payments set state = 'captured', captured = amount where order_id = $1`,
      [orderId],
    )
    expect(await end(orderId)).toMatchObject({ state: 'CONFIRMED' })
    await workOutbox(database, sale)
    expect(await endOf(orderId)).toEqual(['CONFIRMED CAPTURED', 'captured 10900 0'])
  })

  test('is refused where the order is not PAYING, does not exist, or has no reason', async () => {
    const { account, hold } = await held()
    const { id } = (await sale.pay(account, hold)) as { id: string }
    for (const [orderId, reason] of [
      [id, 'r'],
      ['ord_x_1', 'r'],
      ['nonsense', 'r'],
      [id, ''],
    ] as const)
      await expect(end(orderId, reason)).rejects.toMatchObject({ code: 'BAD_USER_INPUT' })
  })

  test('ends once, or is sold, where the approval comes at the same moment', async () => {
    const ends = new Set<string>()
    for (let round = 0; round < 6; round++) {
      const { orderId } = await paying('pm_timeout', { timeoutMs: 50 })
      const [ended] = await Promise.allSettled([end(orderId), sale.settle(orderId)])
      await workOutbox(database, sale)
      const [first, network] = await endOf(orderId)
      ends.add(`${first}, ${network}, ${ended?.status}`)
    }
    // An intent that is unconfirmed holds no money: the reply to prepare was lost, so the order has no intent.
    for (const one of ends)
      expect(one).toMatch(
        /^(CONFIRMED CAPTURED, captured 10900 0|SEATS_GONE VOIDED, cancelled 0 0|SEATS_GONE NONE, unconfirmed 0 0|CANCELLED VOIDED, cancelled 0 0|DECLINED NONE, cancelled 0 0), /,
      )
  })
})

import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { createPublishOrderChange } from '../../../src/sale/orders/orderChanges.ts'
import type { OrderView } from '../../../src/sale/orders/orders.ts'
import { createOrderRefunds, type RefundOrderInput } from '../../../src/sale/orders/refundOrder.ts'
import { atNetwork, opsAccount, testAccount, testCheckout, workOutbox } from '../../support/checkout.ts'
import { testDatabase } from '../../support/database.ts'
import { insertEvent, type TestEvent, type TestEventOptions } from '../../support/event.ts'
import { brokenInvariants } from '../../support/invariants.ts'
import { expectSettled } from '../../support/settled.ts'
import { testWaitlist } from '../../support/waitlist.ts'

const db = await testDatabase()
const sale = testCheckout(db)
const { orders, publish, mapChanges } = sale
const seatMap = {
  publish: (eventId: string, changes: (typeof mapChanges)[number][]) =>
    mapChanges.push(...changes.map((change) => ({ ...change, eventId }))),
}
const publishChange = createPublishOrderChange({ publish, seatMap: seatMap as never })
const { refundOrder } = createOrderRefunds({ db, orders, publishChange })
const ops = opsAccount()

let keys = 0
const refund = (order: OrderView, more: Partial<RefundOrderInput> = {}) =>
  refundOrder(ops, { orderId: order.id, reason: 'goodwill', idempotencyKey: `key ${++keys}`, ...more })

interface Bought {
  event: TestEvent
  account: ReturnType<typeof testAccount>
  order: OrderView
}

async function buy(
  seatNos: number[],
  options: TestEventOptions & { card?: string; captured?: boolean } = {},
): Promise<Bought> {
  const event = await insertEvent(db, options)
  const account = testAccount()
  const order = (await sale.pay(account, await sale.hold(account, event, seatNos), options.card)) as OrderView
  if (options.captured !== false) await workOutbox(db, sale)
  return { event, account, order: (await orders.find(account, order.id)) as OrderView }
}

const ticketsOf = ({ tickets }: OrderView, ...at: number[]) => at.map((i) => tickets[i]?.id as string)
const seatsOf = async ({ id }: TestEvent) =>
  (await db.sql('select no from seats where event_id = $1 and status = 2 order by no', [id])).map(
    ({ no }) => no,
  )
const whenSettled = async ({ account, order }: Bought) => {
  await workOutbox(db, sale)
  const { state, payment, refunded, tickets } = (await orders.find(account, order.id)) as OrderView
  return { state, payment, refunded, void: tickets.map(({ voided }) => voided) }
}

describe('a refund', () => {
  test('of a whole order makes its tickets void and frees its seats at once; the money follows', async () => {
    const bought = await buy([1, 2])
    mapChanges.length = 0
    const answer = await refund(bought.order)
    expect(answer).toMatchObject({ state: 'CANCELLED', payment: 'REFUND_OWED', refunded: 0n })
    expect(answer.tickets.map(({ voided }) => voided)).toEqual([true, true])
    expect(await seatsOf(bought.event)).toEqual([])
    expect(mapChanges.map(({ seatNo, status }) => [seatNo, status])).toEqual([
      [1, 0],
      [2, 0],
    ])
    expect(await whenSettled(bought)).toEqual({
      state: 'CANCELLED',
      payment: 'REFUNDED',
      refunded: 10_900n,
      void: [true, true],
    })
    expect(await atNetwork(db, bought.order.id)).toMatchObject([{ captured: 10_900, refunded: 10_900 }])
    expect(
      await db.sql('select account_id, action, detail from audit_entries where subject = $1', [
        bought.order.id,
      ]),
    ).toEqual([
      {
        account_id: ops.id,
        action: 'refundOrder',
        detail: {
          reason: 'goodwill',
          refund: expect.stringMatching(/^rfd_/),
          tickets: expect.any(Array),
          amount: 10_900,
        },
      },
    ])
  })

  test('by ticket, twice, then of the rest, returns exactly what the fan paid', async () => {
    const bought = await buy([1, 2, 3])
    const { order, event } = bought
    await refund(order, { ticketIds: ticketsOf(order, 1) })
    expect(await whenSettled(bought)).toEqual({
      state: 'CONFIRMED',
      payment: 'PARTIALLY_REFUNDED',
      refunded: 5_450n,
      void: [false, true, false],
    })
    expect(await seatsOf(event)).toEqual([1, 3])
    await refund(order, { ticketIds: ticketsOf(order, 0) })
    expect(await whenSettled(bought)).toMatchObject({ payment: 'PARTIALLY_REFUNDED', refunded: 10_900n })
    await refund(order)
    expect(await whenSettled(bought)).toMatchObject({
      state: 'CANCELLED',
      payment: 'REFUNDED',
      refunded: 16_350n,
    })
    expect(await atNetwork(db, order.id)).toMatchObject([{ captured: 16_350, refunded: 16_350 }])
  })

  test('of one of two orders of an account leaves the other as it is, and the seats can be bought again', async () => {
    const bought = await buy([1])
    const other = (await sale.pay(
      bought.account,
      await sale.hold(bought.account, bought.event, [2]),
    )) as OrderView
    await refund(bought.order)
    expect(await whenSettled(bought)).toMatchObject({ payment: 'REFUNDED' })
    expect(await orders.find(bought.account, other.id)).toMatchObject({
      state: 'CONFIRMED',
      payment: 'CAPTURED',
    })
    const next = testAccount()
    const again = (await sale.pay(next, await sale.hold(next, bought.event, [1]))) as OrderView
    expect(again.tickets[0]?.no).toBe(40)
  })

  test('of an order whose money is not captured cancels it, and the fan pays nothing', async () => {
    const bought = await buy([1, 2], { captured: false })
    await expect(refund(bought.order, { ticketIds: ticketsOf(bought.order, 0) })).rejects.toMatchObject({
      code: 'BAD_USER_INPUT',
      message: expect.stringContaining('not captured yet'),
    })
    expect(await refund(bought.order)).toMatchObject({ state: 'CANCELLED', payment: 'AUTHORIZED' })
    expect(await whenSettled(bought)).toMatchObject({ payment: 'VOIDED', refunded: 0n })
    expect(await atNetwork(db, bought.order.id)).toMatchObject([{ state: 'cancelled', captured: 0 }])
  })

  test('of free tickets makes them void and calls no provider', async () => {
    const bought = await buy([1, 2], { price: 0n, fee: 0n })
    await refund(bought.order, { ticketIds: ticketsOf(bought.order, 0) })
    expect(await whenSettled(bought)).toEqual({
      state: 'CONFIRMED',
      payment: 'NONE',
      refunded: 0n,
      void: [true, false],
    })
    await refund(bought.order)
    expect(await whenSettled(bought)).toMatchObject({ state: 'CANCELLED', payment: 'NONE' })
  })
})

describe('the sale sets whether fees are returned', () => {
  // 0.39 plus 2.4 percent of the price, rounded once, when the organizer sets the fee.
  test.each([
    ['EUR', 4_550n, 148n],
    ['JPY', 12_000n, 288n],
    ['KWD', 25_125n, 993n],
  ])(
    '%s: kept, a refund by ticket and of the rest returns the prices alone',
    async (currency, price, fee) => {
      const bought = await buy([1, 2, 3], { currency, price, fee })
      await db.sql('update sales set return_fees = false where event_id = $1', [bought.event.id])
      await refund(bought.order, { ticketIds: ticketsOf(bought.order, 2) })
      expect(await whenSettled(bought)).toMatchObject({ payment: 'PARTIALLY_REFUNDED', refunded: price })
      await refund(bought.order)
      expect(await whenSettled(bought)).toMatchObject({
        state: 'CANCELLED',
        payment: 'PARTIALLY_REFUNDED',
        refunded: 3n * price,
      })
      expect(await atNetwork(db, bought.order.id)).toMatchObject([
        { captured: Number(3n * (price + fee)), refunded: Number(3n * price) },
      ])
    },
  )

  test.each([
    ['EUR', 4_550n, 148n],
    ['JPY', 12_000n, 288n],
    ['KWD', 25_125n, 993n],
  ])('%s: returned, each ticket returns its price and its fee', async (currency, price, fee) => {
    const bought = await buy([1, 2, 3], { currency, price, fee })
    for (const i of [0, 1, 2]) await refund(bought.order, { ticketIds: ticketsOf(bought.order, i) })
    expect(await whenSettled(bought)).toMatchObject({ payment: 'REFUNDED', refunded: 3n * (price + fee) })
  })

  test('kept, a ticket that costs its fee alone returns nothing', async () => {
    const bought = await buy([1], { price: 0n, fee: 150n })
    await db.sql('update sales set return_fees = false where event_id = $1', [bought.event.id])
    await refund(bought.order)
    expect(await whenSettled(bought)).toMatchObject({
      state: 'CANCELLED',
      payment: 'PARTIALLY_REFUNDED',
      refunded: 0n,
    })
  })
})

describe('a call that is repeated', () => {
  test('with its key refunds once, also after the rest was refunded, and with its tickets in another order', async () => {
    const bought = await buy([1, 2, 3])
    const ticketIds = ticketsOf(bought.order, 0, 1)
    const first = await refund(bought.order, { ticketIds, idempotencyKey: 'again' })
    await refund(bought.order)
    const second = await refund(bought.order, {
      ticketIds: [...ticketIds].reverse(),
      idempotencyKey: 'again',
    })
    expect(second).toMatchObject({ id: first.id, state: 'CANCELLED' })
    expect(await whenSettled(bought)).toMatchObject({ refunded: 16_350n })
    await expect(refund(bought.order, { idempotencyKey: 'again' })).rejects.toMatchObject({
      code: 'IDEMPOTENCY_KEY_REUSED',
    })
  })

  test('at the same time, with one key or with many, returns no more than the fan paid', async () => {
    for (const key of ['one', null]) {
      const bought = await buy([1, 2, 3, 4])
      const calls = Array.from({ length: 24 }, (_, i) =>
        refund(bought.order, {
          ticketIds: i % 3 === 0 ? null : ticketsOf(bought.order, i % 4, (i + 1) % 4),
          ...(key && { idempotencyKey: `${key} ${i % 3 === 0 ? 'all' : `${i % 4}`}` }),
        }),
      )
      const settled = await Promise.allSettled(calls)
      for (const result of settled)
        if (result.status === 'rejected') expect(result.reason.code).toBe('BAD_USER_INPUT')
      expect(await whenSettled(bought)).toMatchObject({
        state: 'CANCELLED',
        payment: 'REFUNDED',
        refunded: 21_800n,
      })
      expect(await atNetwork(db, bought.order.id)).toMatchObject([{ captured: 21_800, refunded: 21_800 }])
    }
  })

  test('while the capture is on its way ends with all the money returned, whichever comes first', async () => {
    const ends = new Set<string>()
    for (let i = 0; i < 12; i++) {
      const bought = await buy([1], { captured: false })
      await Promise.all([
        sleep(i % 4).then(() => sale.capture(bought.order.id)),
        sleep((i * 5) % 7).then(() => refund(bought.order)),
      ])
      const { state, payment } = await whenSettled(bought)
      expect(state).toBe('CANCELLED')
      ends.add(payment)
      const [money] = await atNetwork(db, bought.order.id)
      expect(money?.captured).toBe(money?.refunded)
    }
    for (const payment of ends) expect(['VOIDED', 'REFUNDED']).toContain(payment)
  })
})

test('a refund whose reply is lost is made once at the provider', async () => {
  const bought = await buy([1, 2], { card: 'pm_refund_lost_reply' })
  await refund(bought.order, { ticketIds: ticketsOf(bought.order, 0) })
  expect(await whenSettled(bought)).toMatchObject({ refunded: 5_450n })
  expect(await atNetwork(db, bought.order.id)).toMatchObject([{ refunded: 5_450 }])
})

test('the order is REFUND_OWED as long as the provider refuses, and its tickets stay void', async () => {
  const bought = await buy([1, 2], { card: 'pm_refund_refused' })
  await refund(bought.order, { ticketIds: ticketsOf(bought.order, 1) })
  const [row] = await db.sql('delete from outbox returning data')
  await expect(sale.refundPayment(row?.data.refundId)).rejects.toThrow('refuses the refund')
  expect(await orders.find(bought.account, bought.order.id)).toMatchObject({
    state: 'CONFIRMED',
    payment: 'REFUND_OWED',
    refunded: 0n,
    tickets: [{ voided: false }, { voided: true }],
  })
  expect(await brokenInvariants(db, bought.event.id)).toEqual({})
  await db.sql(`update sandbox_payments set payment_method = 'pm_card_visa' where order_id = $1`, [
    bought.order.id,
  ])
  await sale.refundPayment(row?.data.refundId)
  expect(await whenSettled(bought)).toMatchObject({ payment: 'PARTIALLY_REFUNDED', refunded: 5_450n })
})

test('while a fan waits for it, the seat that a refund frees is theirs alone, and is offered to them', async () => {
  const bought = await buy([1], { sections: [{ seats: 1 }] })
  const waitlist = testWaitlist(db)
  const next = testAccount()
  const { id } = await waitlist.joined(next, bought.event)
  await refund(bought.order)
  await expect(sale.hold(testAccount(), bought.event, [1])).rejects.toThrow('SaleOver')
  const offers = await db.sql(`delete from outbox where job = 'offerWaitlist' returning data`)
  expect(offers).toEqual([{ data: { eventId: bought.event.id } }])
  await waitlist.offer(bought.event.id)
  await db.sql(`delete from outbox where job in ('mailOffer', 'offerWaitlist')`)
  expect(
    await db.sql(
      `select w.id, w.state, s.no from waitlist_entries w
       join seats s on s.event_id = w.event_id and s.hold_id = w.hold_id where w.event_id = $1`,
      [bought.event.id],
    ),
  ).toEqual([{ id, state: 'OFFERED', no: 1 }])
})

describe('a refund is refused', () => {
  test.each<[string, Partial<RefundOrderInput>, (string | number)[]]>([
    ['of no order', { orderId: 'ord_x_1' }, ['input', 'orderId']],
    ['of what is no order’s id', { orderId: "'" }, ['input', 'orderId']],
    ['of a ticket of another order', { ticketIds: ['tkt_x_1'] }, ['input', 'ticketIds', 0]],
    ['of no tickets', { ticketIds: [] }, ['input', 'ticketIds']],
    ['without a reason', { reason: ' ' }, ['input', 'reason']],
    ['without a key', { idempotencyKey: '' }, ['input', 'idempotencyKey']],
  ])('%s', async (_name, input, path) => {
    const { order } = await buy([1])
    await expect(refund(order, input)).rejects.toMatchObject({
      code: 'BAD_USER_INPUT',
      extensions: { faults: [{ path }] },
    })
  })

  test('of a void ticket, and of an order that sold nothing', async () => {
    const bought = await buy([1, 2])
    await refund(bought.order, { ticketIds: ticketsOf(bought.order, 0) })
    await expect(refund(bought.order, { ticketIds: ticketsOf(bought.order, 0) })).rejects.toThrow(
      'is void already',
    )
    await refund(bought.order)
    await expect(refund(bought.order)).rejects.toThrow('The order is CANCELLED')
    const event = await insertEvent(db)
    const fan = testAccount()
    await sale.pay(fan, await sale.hold(fan, event, [1]), 'pm_card_declined')
    const [{ id }] = (await db.sql('select id from orders where event_id = $1', [event.id])) as [
      { id: string },
    ]
    await expect(refund({ id } as OrderView)).rejects.toThrow('The order is DECLINED')
  })
})

test('everything adds up', () => expectSettled(db, sale))

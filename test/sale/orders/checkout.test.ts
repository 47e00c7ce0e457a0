import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { CannotCharge, type PaymentProvider, ProviderBusy } from '../../../src/payments/provider.ts'
import { channels } from '../../../src/redis/keys.ts'
import type { HoldView } from '../../../src/sale/holds/holds.ts'
import type { OrderView } from '../../../src/sale/orders/orders.ts'
import {
  CheckoutBusy,
  HoldInCheckout,
  HoldNotFound,
  PaymentDeclined,
  SeatsGone,
} from '../../../src/sale/refusals.ts'
import {
  atNetwork,
  runOut,
  testAccount,
  testCheckout,
  untilOver,
  workOutbox,
} from '../../support/checkout.ts'
import { testDatabase } from '../../support/database.ts'
import { insertEvent } from '../../support/event.ts'
import { ask, isHold } from '../../support/holds.ts'
import { pidOf, untilBlockedBy } from '../../support/locks.ts'
import { losingReply } from '../../support/losingReply.ts'
import { seededRandom } from '../../support/random.ts'
import { expectSettled } from '../../support/settled.ts'

const database = await testDatabase()
const sale = testCheckout(database)

afterEach(() => expectSettled(database, sale))

async function fixture(seatNos: readonly number[] = [1, 2], options = {}) {
  const event = await insertEvent(database, options)
  const account = testAccount()
  const hold = await sale.hold(account, event, seatNos)
  return { event, account, hold }
}

function isOrder(result: object): asserts result is OrderView {
  if (!('tickets' in result)) throw new Error(`not an order: ${result.constructor.name}`)
}

const ordersOf = (holdId: string) =>
  database.sql('select id, state, payment from orders where hold_id = $1 order by placed_at', [holdId])

/** Runs `during` once, before or after the provider's own work. */
function whileAuthorizing(during: () => Promise<unknown>, timing: 'before' | 'after' = 'after') {
  let done = false
  return (provider: PaymentProvider): PaymentProvider => ({
    ...provider,
    async confirm(request) {
      if (timing === 'before' && !done) await during()
      const answer = await provider.confirm(request)
      if (timing === 'after' && !done) await during()
      done = true
      return answer
    },
  })
}

function countingConfirms() {
  const requests: string[] = []
  const wrap = (provider: PaymentProvider): PaymentProvider => ({
    ...provider,
    confirm(request) {
      requests.push(request.intentId)
      return provider.confirm(request)
    },
  })
  return { requests, wrap }
}

describe('buying a hold', () => {
  test('sells its seats, makes their tickets, and leaves the capture to the outbox', async () => {
    const { event, account, hold } = await fixture([3, 4])
    sale.mapChanges.length = 0
    sale.published.length = 0
    const order = await sale.pay(account, hold)
    isOrder(order)
    expect(order).toMatchObject({
      eventId: event.id,
      holdId: hold.id,
      state: 'CONFIRMED',
      payment: 'AUTHORIZED',
      amount: { amount: 10_900n, currency: 'EUR' },
      refunded: 0n,
      declineReason: null,
      items: [
        { seatNo: 3, levelNo: 1, price: 5_000n, fee: 450n },
        { seatNo: 4, levelNo: 1, price: 5_000n, fee: 450n },
      ],
    })
    const ticketId = (no: number) => `tkt${event.id.slice(3)}_${no}`
    expect(order.tickets).toEqual([
      { id: ticketId(2), no: 2, eventId: event.id, orderId: order.id, seatNo: 3, voided: false },
      { id: ticketId(3), no: 3, eventId: event.id, orderId: order.id, seatNo: 4, voided: false },
    ])
    expect(await sale.holds.find(account, hold.id)).toMatchObject({ state: 'SOLD', orderId: order.id })
    // Two revisions follow the hold's own: the claim extends the hold, and the sale sells it.
    expect(sale.mapChanges).toEqual([
      { eventId: event.id, seatNo: 3, status: 1, revision: 2 },
      { eventId: event.id, seatNo: 4, status: 1, revision: 2 },
      { eventId: event.id, seatNo: 3, status: 2, revision: 3 },
      { eventId: event.id, seatNo: 4, status: 2, revision: 3 },
    ])
    expect(sale.published).toContain(channels.order(event.id, order.id))
    expect(sale.published).toContain(channels.hold(event.id, hold.id))
    expect(sale.published).toContain(channels.outbox)

    expect(await workOutbox(database, sale)).toEqual([{ job: 'capturePayment', data: { orderId: order.id } }])
    expect(await sale.orders.find(account, order.id)).toMatchObject({
      state: 'CONFIRMED',
      payment: 'CAPTURED',
    })
    const [row] = await database.sql('select payment_method, email from orders where id = $1', [order.id])
    expect(row).toEqual({ payment_method: null, email: account.email })
  })

  test('ends the admission, after the extended hold has extended it', async () => {
    const { event, account, hold } = await fixture()
    await database.sql(
      `insert into admissions (event_id, account_id, arrival, place, device, expires_at)
       values ($1, $2, 1, 1, '\\x00', now() + interval '1 minute')`,
      [event.id, account.id],
    )
    const read = async () =>
      (
        await database.sql<{ end: Date; ended: boolean }>(
          'select expires_at as end, ended_at is not null as ended from admissions where account_id = $1',
          [account.id],
        )
      )[0]
    await sale.pay(account, hold, 'pm_card_declined')
    const held = await sale.holds.find(account, hold.id)
    expect(await read()).toEqual({ end: held?.expiresAt, ended: false })
    await sale.pay(account, hold)
    expect(await read()).toMatchObject({ ended: true })
  })

  test('is impossible for another account’s hold, or a hold that does not exist', async () => {
    const { hold } = await fixture()
    expect(await sale.pay(testAccount(), hold)).toBeInstanceOf(HoldNotFound)
    const missing = { ...hold, id: `${hold.id.slice(0, -4)}ffff` }
    expect(await sale.pay(testAccount(), missing)).toBeInstanceOf(HoldNotFound)
    expect(await sale.pay(testAccount(), { ...hold, id: 'nonsense' })).toBeInstanceOf(HoldNotFound)
    expect(await ordersOf(hold.id)).toEqual([])
  })

  test.each([
    ['paymentMethod', { paymentMethod: '' }],
    ['paymentMethod', { paymentMethod: 'x'.repeat(201) }],
    ['paymentMethod', { paymentMethod: 'pm\u0000' }],
    ['idempotencyKey', { idempotencyKey: '' }],
    ['idempotencyKey', { idempotencyKey: 'x'.repeat(201) }],
    ['email', { email: '' }],
    ['email', { email: 'not an address' }],
    ['email', { email: `${'x'.repeat(250)}@x.org` }],
    ['email', { email: 'a@b.org\nBcc: c@d.org' }],
  ])('names an invalid %s: %j', async (field, bad) => {
    const { account, hold } = await fixture()
    const input = { holdId: hold.id, paymentMethod: 'pm_card_visa', idempotencyKey: 'key', ...bad }
    await expect(sale.checkout(account, input)).rejects.toMatchObject({
      code: 'BAD_USER_INPUT',
      extensions: { faults: [{ path: ['input', field] }] },
    })
  })

  test('accepts every key that a hold accepts', async () => {
    const event = await insertEvent(database)
    const account = testAccount()
    const key = 'k'.repeat(200)
    const hold = await ask(sale.holds, account, event, [1], key)
    if (!isHold(hold)) throw new Error(hold.message)
    expect(await sale.pay(account, hold, 'pm_card_visa', key)).toMatchObject({ state: 'CONFIRMED' })
    await expect(ask(sale.holds, account, event, [2], `${key}k`)).rejects.toMatchObject({
      extensions: { faults: [{ path: ['input', 'idempotencyKey'] }] },
    })
  })

  test('confirms an order that costs nothing, with no authorization and no permit', async () => {
    const event = await insertEvent(database, { price: 0n, fee: 0n })
    const full = testCheckout(database, { takePermit: async () => 60_000 })
    const account = testAccount()
    const hold = await full.hold(account, event, [1])
    const order = await full.pay(account, hold)
    isOrder(order)
    expect(order).toMatchObject({ state: 'CONFIRMED', payment: 'NONE', amount: { amount: 0n } })
    expect(order.tickets).toHaveLength(1)
    expect(await workOutbox(database, full)).toEqual([])
    expect(await atNetwork(database, order.id)).toEqual([])
  })
})

describe('a hold in checkout', () => {
  test('lasts while its order is PAYING, and gets its own end back after a declined card', async () => {
    const { account, hold } = await fixture()
    let whilePaying: Date | undefined
    const watched = testCheckout(database, {
      wrap: whileAuthorizing(async () => {
        whilePaying = (await sale.holds.find(account, hold.id))?.expiresAt
      }),
    })
    await watched.pay(account, hold, 'pm_card_declined')
    const [{ end } = { end: null }] = await database.sql(
      `select pay_until + interval '2 minutes' as end from orders where hold_id = $1`,
      [hold.id],
    )
    expect(whilePaying).toEqual(end)
    expect((await sale.holds.find(account, hold.id))?.expiresAt).toEqual(hold.expiresAt)
    const seats = await database.sql('select held_until, revision from seats where hold_id = $1', [hold.id])
    expect(seats).toEqual([1, 2].map(() => ({ held_until: hold.expiresAt, revision: 3 })))
  })

  test('has a minute left after its first declined card, and no more after the next', async () => {
    const { account, hold } = await fixture()
    const secondsLeft = async () => {
      const [row] = await database.sql<{ left: number }>(
        'select extract(epoch from expires_at - now())::float8 as left from holds where id = $1',
        [hold.id],
      )
      return row?.left ?? 0
    }
    await runOut(database, hold)
    await sale.pay(account, hold, 'pm_card_declined')
    expect(await secondsLeft()).toBeGreaterThan(30)
    expect(await secondsLeft()).toBeLessThanOrEqual(60)
    await runOut(database, hold)
    await sale.pay(account, hold, 'pm_card_declined')
    expect(await secondsLeft()).toBeLessThanOrEqual(0)
  })

  test('is still sold after it expired, while no other hold took its seats', async () => {
    const { account, hold } = await fixture()
    await runOut(database, hold)
    expect(await sale.pay(account, hold)).toMatchObject({ state: 'CONFIRMED' })
  })

  test('that expired and was swept ends as SEATS_GONE, and authorizes nothing', async () => {
    const { event, account, hold } = await fixture()
    await runOut(database, hold)
    await sale.holds.sweep(event.id)
    const gone = await sale.pay(account, hold)
    expect(gone).toBeInstanceOf(SeatsGone)
    expect(await ordersOf(hold.id)).toEqual([
      { id: (gone as SeatsGone).orderId, state: 'SEATS_GONE', payment: 'NONE' },
    ])
    expect(await atNetwork(database, (gone as SeatsGone).orderId)).toEqual([])
  })

  test('that was released ends as SEATS_GONE too', async () => {
    const { account, hold } = await fixture()
    await sale.holds.release(account, hold.id)
    const gone = await sale.pay(account, hold)
    expect(gone).toBeInstanceOf(SeatsGone)
    // No other fan has the seats, so the message does not say so.
    expect((gone as SeatsGone).message).not.toMatch(/ran out|somebody/)
  })

  test('is released or bought, never both, where both happen at the same time', async () => {
    for (let round = 0; round < 40; round++) {
      const { account, hold } = await fixture()
      const [paid, released] = await Promise.all([
        sale.pay(account, hold),
        sale.holds.release(account, hold.id),
      ])
      const [order] = await ordersOf(hold.id)
      if (released instanceof HoldInCheckout || ('state' in released && released.state === 'SOLD')) {
        expect(paid).toMatchObject({ state: 'CONFIRMED' })
      } else {
        expect(released).toMatchObject({ state: 'RELEASED' })
        // The claim saw the release, so nothing was authorized.
        expect(order).toMatchObject({ state: 'SEATS_GONE', payment: 'NONE' })
      }
    }
  })

  test('that lost one seat to another fan ends as SEATS_GONE, and that fan keeps the seat', async () => {
    const { event, account, hold } = await fixture([1, 2, 3])
    await runOut(database, hold)
    const taker = testAccount()
    const taken = await sale.hold(taker, event, [2])
    expect(await sale.pay(account, hold)).toBeInstanceOf(SeatsGone)
    expect(await sale.pay(taker, taken)).toMatchObject({ state: 'CONFIRMED' })
    await sale.holds.sweep(event.id)
    expect(
      await database.sql('select no, status from seats where event_id = $1 and no <= 3 order by no', [
        event.id,
      ]),
    ).toEqual([
      { no: 1, status: 0 },
      { no: 2, status: 2 },
      { no: 3, status: 0 },
    ])
  })

  test('that expired cannot exceed the limit together with later holds of its account', async () => {
    const { event, account, hold } = await fixture([1, 2], { ticketLimit: 3 })
    await runOut(database, hold)
    const other = await sale.hold(account, event, [3, 4])
    expect(await sale.pay(account, hold)).toBeInstanceOf(SeatsGone)
    expect(await sale.pay(account, other)).toMatchObject({ state: 'CONFIRMED' })
  })

  test('that expired stays within the limit together with a hold that is made while it is paid', async () => {
    const winners = new Set<string>()
    for (let round = 0; round < 20; round++) {
      const { event, account, hold } = await fixture([1, 2], { ticketLimit: 3 })
      await runOut(database, hold)
      const [paid, other] = await Promise.all([
        sale.pay(account, hold),
        sale.hold(account, event, [3, 4]).catch((error: Error) => error),
      ])
      winners.add(`${'tickets' in paid ? 'paid' : 'gone'}, ${'expiresAt' in other ? 'held' : 'refused'}`)
      if ('expiresAt' in other) await sale.pay(account, other)
    }
    for (const winner of winners) expect(['paid, refused', 'gone, held']).toContain(winner)
  })

  test('that expires while its own claim waits is not counted twice', async () => {
    const { event, account, hold } = await fixture([1, 2, 3, 4], { ticketLimit: 4 })
    await runOut(database, hold, -1)
    const blocker = await database.pool.connect()
    const pid = await pidOf(blocker)
    await blocker.query('begin')
    await blocker.query('select pg_advisory_xact_lock(account_lock($1, $2))', [event.id, account.id])
    const paying = sale.pay(account, hold)
    await untilBlockedBy(database, pid)
    await untilOver(database, hold)
    await blocker.query('commit')
    blocker.release()
    expect(await paying).toMatchObject({ state: 'CONFIRMED' })
  })

  test('that is over takes no permit and makes one order, however many keys try', async () => {
    let permits = 0
    const counting = testCheckout(database, {
      async takePermit() {
        permits++
        return 0
      },
    })
    type Fixture = Awaited<ReturnType<typeof fixture>>
    const endings: Record<string, (of: Fixture) => Promise<unknown>> = {
      released: ({ account, hold }) => sale.holds.release(account, hold.id),
      async swept({ event, hold }) {
        await runOut(database, hold)
        await sale.holds.sweep(event.id)
      },
      async taken({ event, hold }) {
        await runOut(database, hold)
        await sale.hold(testAccount(), event, [1])
      },
    }
    for (const [ending, end] of Object.entries(endings)) {
      const made = await fixture()
      const { account, hold } = made
      await end(made)
      permits = 0
      const first = await counting.pay(account, hold)
      expect(first).toBeInstanceOf(SeatsGone)
      const again = await Promise.all(Array.from({ length: 10 }, () => counting.pay(account, hold)))
      for (const result of again) expect(result).toEqual(first)
      expect(await ordersOf(hold.id)).toHaveLength(1)
      // Of a hold that expired and was not swept, only the claim decides whether it can still be bought.
      expect({ ending, permits }).toEqual({ ending, permits: ending === 'taken' ? 1 : 0 })
    }
  })

  test('that is over makes one order, even where many keys try at the same time', async () => {
    const { account, hold } = await fixture()
    await sale.holds.release(account, hold.id)
    const results = await Promise.all(Array.from({ length: 10 }, () => sale.pay(account, hold)))
    for (const result of results) expect(result).toEqual(results[0])
    expect(await ordersOf(hold.id)).toHaveLength(1)
  })

  test('that expires between claim and sale is sold, and the sweeper leaves it alone', async () => {
    const { event, account, hold } = await fixture()
    const slow = testCheckout(database, {
      wrap: whileAuthorizing(async () => {
        await runOut(database, hold, 3_600)
        expect(await sale.holds.sweep(event.id)).toBe(0)
      }),
    })
    expect(await slow.pay(account, hold)).toMatchObject({ state: 'CONFIRMED', payment: 'AUTHORIZED' })
  })

  test('that expires between claim and sale and loses a seat is voided, and the other fan keeps the seat', async () => {
    const { event, account, hold } = await fixture()
    const taker = testAccount()
    const slow = testCheckout(database, {
      wrap: whileAuthorizing(async () => {
        await runOut(database, hold)
        await sale.hold(taker, event, [2])
      }),
    })
    const gone = await slow.pay(account, hold)
    expect(gone).toBeInstanceOf(SeatsGone)
    const { orderId } = gone as SeatsGone
    expect(await ordersOf(hold.id)).toEqual([{ id: orderId, state: 'SEATS_GONE', payment: 'AUTHORIZED' }])
    expect(await atNetwork(database, orderId)).toMatchObject([{ state: 'authorized' }])

    expect(await workOutbox(database, sale)).toEqual([{ job: 'cancelPayment', data: { orderId } }])
    expect(await atNetwork(database, orderId)).toMatchObject([{ state: 'cancelled' }])
    expect(await sale.orders.find(account, orderId)).toMatchObject({ state: 'SEATS_GONE', payment: 'VOIDED' })
    const [theirs] = await sale.holds.active(taker)
    expect(theirs?.items.map(({ seatNo }) => seatNo)).toEqual([2])
  })
})

describe('one checkout makes one order', () => {
  test('for two submits with one key, which is authorized once, and both return the settled order', async () => {
    const { requests, wrap } = countingConfirms()
    const slow = testCheckout(database, { wrap, sandbox: { latencyMs: 100 } })
    for (let round = 0; round < 10; round++) {
      const { account, hold } = await fixture()
      const key = sale.key()
      const [first, second] = await Promise.all([
        slow.pay(account, hold, 'pm_card_visa', key),
        slow.pay(account, hold, 'pm_card_visa', key),
      ])
      expect(first).toMatchObject({ state: 'CONFIRMED' })
      expect(second).toEqual(first)
      expect(await ordersOf(hold.id)).toHaveLength(1)
    }
    expect(requests).toHaveLength(10)
  })

  test('for several keys on one hold at the same time', async () => {
    const { requests, wrap } = countingConfirms()
    const slow = testCheckout(database, { wrap, sandbox: { latencyMs: 20 } })
    for (let round = 0; round < 20; round++) {
      const { account, hold } = await fixture()
      const results = await Promise.all([1, 2, 3].map(() => slow.pay(account, hold)))
      for (const result of results) isOrder(result)
      expect(new Set(results.map((result) => (result as OrderView).id)).size).toBe(1)
      expect(await ordersOf(hold.id)).toEqual([
        expect.objectContaining({ state: 'CONFIRMED', payment: 'AUTHORIZED' }),
      ])
    }
    expect(requests).toHaveLength(20)
  })

  test('for another key on a hold that was bought', async () => {
    const { account, hold } = await fixture()
    const order = await sale.pay(account, hold)
    expect(await sale.pay(account, hold)).toEqual(order)
  })

  test('for the same key, which returns the order as it is now and is refused with other input', async () => {
    const { event, account, hold } = await fixture()
    const order = await sale.pay(account, hold, 'pm_card_visa', 'once')
    isOrder(order)
    await workOutbox(database, sale)
    expect(await sale.pay(account, hold, 'pm_card_visa', 'once')).toEqual({ ...order, payment: 'CAPTURED' })

    const reused = { code: 'IDEMPOTENCY_KEY_REUSED' }
    await expect(sale.pay(account, hold, 'pm_card_other', 'once')).rejects.toMatchObject(reused)
    const other = await sale.hold(account, event, [5])
    await expect(sale.pay(account, other, 'pm_card_visa', 'once')).rejects.toMatchObject(reused)
    // A key belongs to one account.
    const neighbour = testAccount()
    const theirs = await sale.hold(neighbour, event, [6])
    expect(await sale.pay(neighbour, theirs, 'pm_card_visa', 'once')).toMatchObject({ state: 'CONFIRMED' })
  })

  test('for one key on two holds at the same time, and one refusal', async () => {
    for (let round = 0; round < 20; round++) {
      const { event, account, hold } = await fixture()
      const other = await sale.hold(account, event, [5])
      const key = sale.key()
      const results = await Promise.allSettled([
        sale.pay(account, hold, 'pm_card_visa', key),
        sale.pay(account, other, 'pm_card_visa', key),
      ])
      expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
      expect(results.find(({ status }) => status === 'rejected')).toMatchObject({
        reason: { code: 'IDEMPOTENCY_KEY_REUSED' },
      })
    }
  })

  test.each(['claim_order', 'sell_order'])(
    'for a retry after the reply of %s was lost',
    async (statement) => {
      const { account, hold } = await fixture()
      const { requests, wrap } = countingConfirms()
      const unlucky = testCheckout(losingReply(database, statement), { wrap, patienceMs: 500 })
      const key = unlucky.key()
      const first = await unlucky
        .pay(account, hold, 'pm_card_visa', key)
        .catch((error: Error) => error.message)
      if (statement === 'claim_order') expect(first).toBe('the reply was lost')
      else expect(first).toMatchObject({ state: 'CONFIRMED' })

      const retry = await unlucky.pay(account, hold, 'pm_card_visa', key)
      isOrder(retry)
      expect(retry).toMatchObject({ state: 'CONFIRMED' })
      expect(await ordersOf(hold.id)).toHaveLength(1)
      expect(new Set(requests).size).toBe(1)
    },
  )
})

describe('a provider', () => {
  test('that declines a card can take another card for the same hold', async () => {
    const { account, hold } = await fixture()
    const declined = await sale.pay(account, hold, 'pm_card_insufficient_funds', 'card 1')
    expect(declined).toBeInstanceOf(PaymentDeclined)
    const { orderId } = declined as PaymentDeclined
    expect(await sale.orders.find(account, orderId)).toMatchObject({
      state: 'DECLINED',
      payment: 'NONE',
      declineReason: 'INSUFFICIENT_FUNDS',
      tickets: [],
    })
    expect(await sale.holds.find(account, hold.id)).toMatchObject({ state: 'ACTIVE', orderId: null })
    expect(await sale.pay(account, hold, 'pm_card_insufficient_funds', 'card 1')).toEqual(declined)

    const order = await sale.pay(account, hold, 'pm_card_visa', 'card 2')
    isOrder(order)
    expect(order).toMatchObject({ state: 'CONFIRMED' })
    expect(order.id).not.toBe(orderId)
  })

  test('gets no sixth card of a hold within a minute, and gets it afterwards', async () => {
    const { account, hold } = await fixture()
    for (let card = 0; card < 5; card++)
      expect(await sale.pay(account, hold, 'pm_card_declined')).toBeInstanceOf(PaymentDeclined)
    const busy = await sale.pay(account, hold)
    expect(busy).toBeInstanceOf(CheckoutBusy)
    expect((busy as CheckoutBusy).retryAfterSeconds).toBeGreaterThan(30)
    expect((busy as CheckoutBusy).retryAfterSeconds).toBeLessThanOrEqual(60)
    expect(await ordersOf(hold.id)).toHaveLength(5)
    await database.sql(`update orders set placed_at = placed_at - interval '1 minute' where hold_id = $1`, [
      hold.id,
    ])
    expect(await sale.pay(account, hold)).toMatchObject({ state: 'CONFIRMED' })
  })

  test.each(['pm_lost_reply', 'pm_prepare_lost_reply'])(
    'that loses its reply is read again, and sends no card twice: %s',
    async (card) => {
      const { account, hold } = await fixture()
      const { requests, wrap } = countingConfirms()
      const unlucky = testCheckout(database, { wrap })
      expect(await unlucky.pay(account, hold, card)).toMatchObject({ state: 'CONFIRMED' })
      expect(requests).toHaveLength(1)
    },
  )

  test('that cannot take the amount at all declines the order at once, and the hold stays', async () => {
    const { account, hold } = await fixture()
    const exact = testCheckout(database, {
      wrap: (real) => ({
        ...real,
        prepare: () => Promise.reject(new CannotCharge('KWD in steps of 10 minor units')),
      }),
    })
    expect(await exact.pay(account, hold)).toBeInstanceOf(PaymentDeclined)
    expect(await sale.pay(account, hold)).toMatchObject({ state: 'CONFIRMED' })
  })

  test('that does not answer is read again, and sends no card twice', async () => {
    const { account, hold } = await fixture()
    const { requests, wrap } = countingConfirms()
    const unlucky = testCheckout(database, { wrap, timeoutMs: 1_500 })
    expect(await unlucky.pay(account, hold, 'pm_timeout')).toMatchObject({ state: 'CONFIRMED' })
    expect(requests).toHaveLength(1)
  })

  test('at its own limit makes the order wait', async () => {
    const { account, hold } = await fixture()
    let refused = 0
    const limited = testCheckout(database, {
      wrap: whileAuthorizing(async () => {
        if (++refused <= 2) throw new ProviderBusy(1)
      }, 'before'),
    })
    expect(await limited.pay(account, hold)).toMatchObject({ state: 'CONFIRMED' })
    expect(refused).toBe(3)
  })

  test('that is down leaves the order PAYING and its hold unswept, and the same key finds the order', async () => {
    const { event, account, hold } = await fixture()
    let isDown = true
    const unreliable = testCheckout(database, {
      patienceMs: 300,
      wrap: (provider) => ({
        ...provider,
        confirm: (request) =>
          isDown ? Promise.reject(new Error('connection refused')) : provider.confirm(request),
        retrieve: (request) =>
          isDown ? Promise.reject(new Error('connection refused')) : provider.retrieve(request),
      }),
    })
    const key = unreliable.key()
    const paying = await unreliable.pay(account, hold, 'pm_card_visa', key)
    expect(paying).toMatchObject({ state: 'PAYING', payment: 'NONE', tickets: [] })
    expect(await unreliable.holds.find(account, hold.id)).toMatchObject({ orderId: (paying as OrderView).id })
    await database.sql('update holds set unpaid_until = now() where id = $1', [hold.id])
    expect(await unreliable.holds.sweep(event.id)).toBe(0)
    expect(await unreliable.pay(account, hold, 'pm_card_visa', key)).toMatchObject({ state: 'PAYING' })

    isDown = false
    expect(await unreliable.pay(account, hold, 'pm_card_visa', key)).toMatchObject({ state: 'CONFIRMED' })
  })

  test('with no permit left makes the checkout busy, no order is written, and the hold gets the wait', async () => {
    const { account, hold } = await fixture()
    const full = testCheckout(database, { takePermit: async () => 4_000 })
    const busy = await full.pay(account, hold, 'pm_card_visa', 'again')
    expect(busy).toBeInstanceOf(CheckoutBusy)
    expect((busy as CheckoutBusy).retryAfterSeconds).toBeGreaterThanOrEqual(4)
    expect(await ordersOf(hold.id)).toEqual([])
    const { expiresAt } = (await sale.holds.find(account, hold.id)) as HoldView
    const added = (expiresAt.getTime() - hold.expiresAt.getTime()) / 1_000
    expect(Math.round(added)).toBe((busy as CheckoutBusy).retryAfterSeconds)
    // The refusal is not stored: the same key succeeds later.
    expect(await sale.pay(account, hold, 'pm_card_visa', 'again')).toMatchObject({ state: 'CONFIRMED' })
    // A key with an order needs no permit.
    expect(await full.pay(account, hold, 'pm_card_visa', 'again')).toMatchObject({ state: 'CONFIRMED' })
  })
})

describe('a crowd', () => {
  test('buys each seat once, while holds expire during payment and other fans take the same seats', async () => {
    const random = seededRandom()
    const event = await insertEvent(database, { sections: [{ seats: 20 }], ticketLimit: 4 })
    const crowd = testCheckout(database, { sandbox: { latencyMs: 20, lostReplyRate: 0.1, declineRate: 0.2 } })
    const sold = async () => {
      const [row] = await database.sql<{ n: number }>(
        'select count(*)::int as n from seats where event_id = $1 and status = 2',
        [event.id],
      )
      return row?.n
    }
    async function buyer() {
      while ((await sold()) !== 20) {
        const account = testAccount()
        const first = 1 + Math.floor(random() * 19)
        const hold = await crowd.hold(account, event, [first, first + 1]).catch(async () => {
          const seat = 1 + Math.floor(random() * 20)
          return crowd.hold(account, event, [seat]).catch(() => null)
        })
        if (!hold) {
          await sleep(5)
          continue
        }
        const paying = crowd.pay(account, hold)
        if (random() < 0.5) await runOut(database, hold)
        if (random() < 0.5) await crowd.holds.sweep(event.id)
        await paying
        await runOut(database, hold)
      }
    }
    await Promise.all(Array.from({ length: 8 }, buyer))
  })
})

test('the check of a settled database finds what broke in an event after its last check', async () => {
  const { event, account, hold } = await fixture()
  await sale.pay(account, hold)
  await expectSettled(database, sale)
  const setVoided = (at: string) =>
    database.sql(`update tickets set voided_at = ${at} where event_id = $1 and seat_no = 1`, [event.id])
  await setVoided('now()')
  await expect(expectSettled(database, sale)).rejects.toMatchObject({
    actual: { 'a sold seat has a live ticket of its confirmed order': ['1'] },
  })
  await setVoided('null')
})

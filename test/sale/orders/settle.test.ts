import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, test } from 'vitest'
import type { PaymentProvider } from '../../../src/payments/provider.ts'
import type { HoldView } from '../../../src/sale/holds/holds.ts'
import type { OrderView } from '../../../src/sale/orders/orders.ts'
import { SeatsGone } from '../../../src/sale/refusals.ts'
import { takeStuckOrders } from '../../../src/sql/orders/unsettledOrders.ts'
import { atNetwork, runOut, testAccount, testCheckout, workOutbox } from '../../support/checkout.ts'
import { testDatabase } from '../../support/database.ts'
import { insertEvent } from '../../support/event.ts'
import { expectSettled } from '../../support/settled.ts'

const database = await testDatabase()
const sale = testCheckout(database)
afterEach(() => expectSettled(database, sale))

/** A process whose provider can be down, and records its requests. */
function unreliableProcess() {
  const provider = { isDown: true, calls: [] as string[] }
  const process = testCheckout(database, {
    patienceMs: 0,
    wrap: (real: PaymentProvider): PaymentProvider => ({
      ...real,
      async confirm(request) {
        provider.calls.push(request.intentId)
        if (provider.isDown) throw new Error('connection refused')
        return real.confirm(request)
      },
      async retrieve(request) {
        if (provider.isDown) throw new Error('connection refused')
        return real.retrieve(request)
      },
    }),
  })
  return { ...process, provider }
}

/** An order that a process claimed and left PAYING, since it never reached the provider. */
async function leavePaying(paymentMethod = 'pm_card_visa', process = unreliableProcess()) {
  const event = await insertEvent(database)
  const account = testAccount()
  const hold = await sale.hold(account, event, [1, 2])
  const order = (await process.pay(account, hold, paymentMethod)) as OrderView
  expect(order).toMatchObject({ state: 'PAYING' })
  return { event, account, hold, orderId: order.id }
}

function letTimePass(orderId: string, seconds: number) {
  return database.sql(
    `update orders
       set changed_at = changed_at - make_interval(secs => $2), settler_at = settler_at - make_interval(secs => $2)
       where id = $1`,
    [orderId, seconds],
  )
}

describe('an order that is PAYING for too long', () => {
  test('is read at the provider, confirmed where it was not, and sold', async () => {
    const process = unreliableProcess()
    const { account, orderId } = await leavePaying('pm_card_visa', process)
    await letTimePass(orderId, 60)
    process.provider.isDown = false
    expect(await process.settleStuck()).toEqual({ settled: 1, waiting: 0 })
    const [first, ...again] = process.provider.calls
    expect(again).toEqual([first])
    expect(await sale.orders.find(account, orderId)).toMatchObject({ state: 'CONFIRMED' })
    expect(await process.settleStuck()).toEqual({ settled: 0, waiting: 0 })
  })

  test('is left alone while its checkout may still be running', async () => {
    const { orderId } = await leavePaying()
    expect(await sale.settleStuck()).toEqual({ settled: 0, waiting: 0 })
    await sale.settle(orderId)
  })

  test('is declined where the provider declines, and the hold stays', async () => {
    const { account, hold, orderId } = await leavePaying('pm_card_expired')
    await letTimePass(orderId, 60)
    await sale.settleStuck()
    expect(await sale.orders.find(account, orderId)).toMatchObject({
      state: 'DECLINED',
      declineReason: 'CARD_EXPIRED',
    })
    expect(await sale.pay(account, hold)).toMatchObject({ state: 'CONFIRMED' })
  })

  test('ends as SEATS_GONE where another fan took its seats, and its authorization is voided', async () => {
    const { event, account, hold, orderId } = await leavePaying()
    await runOut(database, hold)
    await sale.hold(testAccount(), event, [2])
    await letTimePass(orderId, 60)
    await sale.settleStuck()
    expect(await sale.orders.find(account, orderId)).toMatchObject({
      state: 'SEATS_GONE',
      payment: 'NONE',
    })
    await workOutbox(database, sale)
    expect(await sale.orders.find(account, orderId)).toMatchObject({ state: 'SEATS_GONE', payment: 'VOIDED' })
  })

  test('does not wait for the older orders of an event that has many', async () => {
    const process = unreliableProcess()
    const crowd = await insertEvent(database)
    for (let seat = 1; seat <= 3; seat++) {
      const account = testAccount()
      await process.pay(account, await sale.hold(account, crowd, [seat]))
    }
    const { event, orderId } = await leavePaying('pm_card_visa', process)
    await database.sql(
      `update orders set changed_at = changed_at - interval '60 s' where event_id = any($1)`,
      [[crowd.id, event.id]],
    )
    await database.sql(`update orders set changed_at = changed_at - interval '60 s' where event_id = $1`, [
      crowd.id,
    ])
    const taken = await takeStuckOrders(database, 20, [], 2)
    expect(taken.map(({ id }) => id)).toContain(orderId)
    await sale.settle(orderId)
    for (const { id } of await database.sql('select id from orders where event_id = $1', [crowd.id]))
      await sale.settle(id)
  })

  test('keeps waiting while the provider is down, and no order is lost', async () => {
    const left = [await leavePaying(), await leavePaying(), await leavePaying()]
    for (const { orderId } of left) await letTimePass(orderId, 60)
    expect(await unreliableProcess().settleStuck()).toEqual({ settled: 0, waiting: 3 })
    for (const { account, orderId } of left)
      expect(await sale.orders.find(account, orderId)).toMatchObject({ state: 'PAYING' })
    for (const { orderId } of left) await letTimePass(orderId, 60)
    expect(await sale.settleStuck()).toEqual({ settled: 3, waiting: 0 })
  })

  test('and never gets an answer does not block the orders that do', async () => {
    const hopeless = [await leavePaying('pm_down'), await leavePaying('pm_down')]
    const { account, orderId } = await leavePaying()
    for (const left of hopeless) await letTimePass(left.orderId, 120)
    await letTimePass(orderId, 60)
    expect(await sale.settleStuck()).toEqual({ settled: 1, waiting: 2 })
    expect(await sale.orders.find(account, orderId)).toMatchObject({ state: 'CONFIRMED' })
    // They are not tried again at once.
    expect(await sale.settleStuck()).toEqual({ settled: 0, waiting: 0 })
    await database.sql(`update orders set payment_method = 'pm_card_visa' where state = 'PAYING'`)
    await database.sql(
      `update sandbox_payments set payment_method = 'pm_card_visa' where payment_method = 'pm_down'`,
    )
    for (const left of hopeless) await sale.settle(left.orderId)
  })

  test('is settled once, however many settlers and checkouts run', async () => {
    for (const card of ['pm_card_visa', 'pm_card_declined', 'pm_lost_reply']) {
      for (let round = 0; round < 5; round++) {
        const { account, hold, orderId } = await leavePaying(card)
        await Promise.all([
          ...Array.from({ length: 4 }, () => sale.settle(orderId).catch(() => {})),
          sale.pay(account, hold),
          sale.pay(account, hold),
        ])
        await sale.settle(orderId)
        const order = await sale.orders.find(account, orderId)
        expect(order?.state).toBe(card === 'pm_card_declined' ? 'DECLINED' : 'CONFIRMED')
      }
    }
  })
})

test('a late decline changes no settled order', async () => {
  const event = await insertEvent(database)
  const account = testAccount()
  const hold = await sale.hold(account, event, [1])
  const { promise: replyIsFree, resolve: freeReply } = Promise.withResolvers<void>()
  const { promise: isAnswered, resolve: answered } = Promise.withResolvers<string>()
  const slow = testCheckout(database, {
    wrap: (real) => ({
      ...real,
      async confirm(request) {
        const answer = await real.confirm(request)
        answered(request.orderId)
        await replyIsFree
        return answer
      },
    }),
  })
  const first = slow.pay(account, hold, 'pm_card_declined')
  const orderId = await isAnswered
  await sale.settle(orderId)
  expect(await sale.orders.find(account, orderId)).toMatchObject({ state: 'DECLINED' })
  // Another card buys the hold before the first reply arrives.
  const bought = await sale.pay(account, hold)
  expect(bought).toMatchObject({ state: 'CONFIRMED' })
  freeReply()
  expect(await first).toMatchObject({ orderId })
  expect(await sale.orders.find(account, (bought as OrderView).id)).toMatchObject({ state: 'CONFIRMED' })
})

describe('a process that is killed between authorize and sell', () => {
  async function buyUntilKilled(accountId: string, hold: HoldView, key: string) {
    const script = fileURLToPath(new URL('../../support/buyer.ts', import.meta.url))
    const child = spawn(process.execPath, [script, database.url, accountId, hold.id, key], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const exited = once(child, 'exit')
    const [line] = await Promise.race([once(createInterface(child.stdout), 'line'), exited])
    expect(line).toBe('authorized')
    child.kill('SIGKILL')
    await exited
    const [row] = await database.sql<{ id: string; state: string }>(
      'select id, state from orders where hold_id = $1',
      [hold.id],
    )
    expect(row?.state).toBe('PAYING')
    expect(await atNetwork(database, row?.id as string)).toMatchObject([{ state: 'authorized' }])
    return row?.id as string
  }

  test('leaves an order that the settler sells', async () => {
    const event = await insertEvent(database)
    const account = testAccount()
    const hold = await sale.hold(account, event, [1, 2])
    const orderId = await buyUntilKilled(account.id, hold, 'key')
    // Long past the hold's end the sweeper still leaves it alone, since its order is PAYING.
    await runOut(database, hold, 3_600)
    expect(await sale.holds.sweep(event.id)).toBe(0)
    await letTimePass(orderId, 60)
    expect(await sale.settleStuck()).toEqual({ settled: 1, waiting: 0 })
    expect(await sale.orders.find(account, orderId)).toMatchObject({ state: 'CONFIRMED' })
  })

  test('leaves an order that the fan’s retry sells', async () => {
    const event = await insertEvent(database)
    const account = testAccount()
    const hold = await sale.hold(account, event, [1, 2])
    const orderId = await buyUntilKilled(account.id, hold, 'key')
    const elsewhere = testCheckout(database, { patienceMs: 100 })
    expect(await elsewhere.pay(account, hold, 'pm_card_visa', 'key')).toMatchObject({
      id: orderId,
      state: 'CONFIRMED',
    })
  })

  test('leaves an authorization that is voided where the seats are gone', async () => {
    const event = await insertEvent(database)
    const account = testAccount()
    const hold = await sale.hold(account, event, [1, 2])
    const orderId = await buyUntilKilled(account.id, hold, 'key')
    await runOut(database, hold)
    const taker = testAccount()
    const taken = await sale.hold(taker, event, [1])
    expect(await sale.pay(taker, taken)).toMatchObject({ state: 'CONFIRMED' })
    await sale.settle(orderId)
    await workOutbox(database, sale)
    expect(await sale.orders.find(account, orderId)).toMatchObject({ state: 'SEATS_GONE', payment: 'VOIDED' })
  })
})

describe('a job that the outbox handed over and Redis lost', () => {
  test('is re-emitted: captures of confirmed orders, voids of orders whose seats are gone', async () => {
    const { account, orderId: confirmed } = await leavePaying()
    await sale.settle(confirmed)
    const { event, hold, orderId: gone } = await leavePaying()
    await runOut(database, hold)
    await sale.hold(testAccount(), event, [1])
    await sale.settle(gone)
    await database.sql('delete from outbox')

    expect(await sale.emitAgain()).toBe(0)
    await letTimePass(confirmed, 300)
    await letTimePass(gone, 300)
    expect(await sale.emitAgain()).toBe(2)
    // Not again at once: a queue that is only slow gets no second copy.
    expect(await sale.emitAgain()).toBe(0)
    expect((await workOutbox(database, sale)).map(({ job }) => job).sort()).toEqual([
      'cancelPayment',
      'capturePayment',
    ])
    expect(await sale.orders.find(account, confirmed)).toMatchObject({ payment: 'CAPTURED' })
    await letTimePass(confirmed, 300)
    expect(await sale.emitAgain()).toBe(0)
  })

  test('is re-emitted by one of several settlers', async () => {
    for (let i = 0; i < 5; i++) {
      const { orderId } = await leavePaying()
      await sale.settle(orderId)
      await letTimePass(orderId, 300)
    }
    await database.sql('delete from outbox')
    const emitted = await Promise.all([1, 2, 3, 4].map(() => sale.emitAgain()))
    expect(emitted.reduce((sum, n) => sum + n, 0)).toBe(5)
  })
})

test('the money follows the order, whichever of a void and a sale comes first', async () => {
  const outcomes = new Set<string>()
  for (let round = 0; round < 30; round++) {
    const { event, account, hold, orderId } = await leavePaying()
    await runOut(database, hold)
    const taker = testAccount()
    await Promise.all([
      sale.hold(taker, event, [2]).then(
        (taken) => sale.pay(taker, taken),
        () => {},
      ),
      sale.settle(orderId),
      sale.settle(orderId),
      sale.cancelPayment(orderId),
      sale.capture(orderId),
      workOutbox(database, sale),
      sale.pay(account, hold).then((result) => {
        if (result instanceof SeatsGone) return sale.cancelPayment(result.orderId)
      }),
    ])
    await workOutbox(database, sale)
    await Promise.all([sale.cancelPayment(orderId), sale.capture(orderId)])
    const order = await sale.orders.find(account, orderId)
    const [atProvider] = await atNetwork(database, orderId)
    outcomes.add(`${order?.state} ${order?.payment} ${atProvider?.state}`)
  }
  for (const outcome of outcomes) {
    expect(['CONFIRMED CAPTURED captured', 'SEATS_GONE VOIDED cancelled']).toContain(outcome)
  }
})

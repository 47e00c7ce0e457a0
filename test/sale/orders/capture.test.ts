import { afterEach, describe, expect, test } from 'vitest'
import { type PaymentProvider, ProviderBusy } from '../../../src/payments/provider.ts'
import type { OrderView } from '../../../src/sale/orders/orders.ts'
import { atNetwork, testAccount, testCheckout, workOutbox } from '../../support/checkout.ts'
import { testDatabase } from '../../support/database.ts'
import { insertEvent } from '../../support/event.ts'
import { expectSettled } from '../../support/settled.ts'

const database = await testDatabase()
const sale = testCheckout(database)

afterEach(() => expectSettled(database, sale))

async function buy(paymentMethod = 'pm_card_visa') {
  const event = await insertEvent(database)
  const account = testAccount()
  const hold = await sale.hold(account, event, [1, 2])
  const order = (await sale.pay(account, hold, paymentMethod)) as OrderView
  expect(order).toMatchObject({ state: 'CONFIRMED', payment: 'AUTHORIZED' })
  return { event, account, order, read: () => sale.orders.find(account, order.id) }
}

/** A process whose provider has some methods in place of the sandbox's. */
function withProvider(part: (real: PaymentProvider) => Partial<PaymentProvider>) {
  return testCheckout(database, { wrap: (real) => ({ ...real, ...part(real) }) })
}

const unreachable = () =>
  withProvider(() => ({ capture: () => Promise.reject(new Error('connection reset')) }))

function letLapse(orderId: string) {
  return database.sql(`update orders set authorized_until = now() + interval '23 hours' where id = $1`, [
    orderId,
  ])
}

describe('a capture', () => {
  test('takes the money of a confirmed order once, however often it runs', async () => {
    const { order, read } = await buy()
    let captures = 0
    const counting = withProvider((real) => ({
      capture(request) {
        captures += 1
        return real.capture(request)
      },
    }))
    await counting.capture(order.id)
    expect(await read()).toMatchObject({ state: 'CONFIRMED', payment: 'CAPTURED' })
    await counting.capture(order.id)
    expect(captures).toBe(1)

    const { order: other } = await buy()
    await Promise.all([1, 2, 3, 4].map(() => counting.capture(other.id)))
    expect(await atNetwork(database, other.id)).toMatchObject([{ state: 'captured' }])
  })

  test('whose reply is lost is read again at the provider, and is done', async () => {
    const { order, read } = await buy('pm_capture_lost_reply')
    await sale.capture(order.id)
    expect(await read()).toMatchObject({ state: 'CONFIRMED', payment: 'CAPTURED' })
  })

  test('that is refused for good cancels the order: seats back, tickets void, authorization void', async () => {
    const { event, account, order, read } = await buy('pm_capture_refused')
    sale.mapChanges.length = 0
    await sale.capture(order.id)
    const cancelled = await read()
    expect(cancelled).toMatchObject({ state: 'CANCELLED', payment: 'AUTHORIZED' })
    expect(cancelled?.tickets.map(({ voided }) => voided)).toEqual([true, true])
    expect(sale.mapChanges).toEqual([
      { eventId: event.id, seatNo: 1, status: 0, revision: 4 },
      { eventId: event.id, seatNo: 2, status: 0, revision: 4 },
    ])
    expect(await workOutbox(database, sale)).toEqual([
      { job: 'capturePayment', data: { orderId: order.id } },
      { job: 'cancelPayment', data: { orderId: order.id } },
    ])
    expect(await read()).toMatchObject({ state: 'CANCELLED', payment: 'VOIDED' })

    const next = await sale.hold(account, event, [1, 2])
    expect(await sale.pay(account, next)).toMatchObject({ state: 'CONFIRMED' })
  })

  test('that gets no answer never cancels the order', async () => {
    const { order, read } = await buy()
    await expect(unreachable().capture(order.id)).rejects.toThrow('connection reset')
    expect(await read()).toMatchObject({ state: 'CONFIRMED', payment: 'AUTHORIZED' })
  })

  test('that gets no answer until the authorization is about to lapse cancels the order', async () => {
    const { order, read } = await buy()
    await letLapse(order.id)
    await unreachable().capture(order.id)
    expect(await read()).toMatchObject({ state: 'CANCELLED', payment: 'AUTHORIZED' })
  })

  test('that took the money after all, of an order cancelled at the last moment, is refunded', async () => {
    const { order, read } = await buy()
    await letLapse(order.id)
    const silent = withProvider((real) => ({
      async capture(request) {
        await real.capture(request)
        throw new Error('connection reset')
      },
      retrieve: () => Promise.reject(new Error('connection reset')),
    }))
    await silent.capture(order.id)
    expect(await atNetwork(database, order.id)).toMatchObject([{ state: 'captured' }])
    await workOutbox(database, sale)
    expect(await atNetwork(database, order.id)).toEqual([
      { state: 'captured', captured: 10_900, refunded: 10_900 },
    ])
    expect(await read()).toMatchObject({ state: 'CANCELLED', payment: 'REFUNDED', refunded: 10_900n })
  })

  test('that the provider is too busy for runs later, even where the authorization is about to lapse', async () => {
    const { order, read } = await buy()
    await letLapse(order.id)
    const busy = withProvider(() => ({ capture: () => Promise.reject(new ProviderBusy(3)) }))
    await expect(busy.capture(order.id)).rejects.toBeInstanceOf(ProviderBusy)
    expect(await read()).toMatchObject({ state: 'CONFIRMED', payment: 'AUTHORIZED' })
  })

  test('that races a cancellation leaves the order and its money in agreement', async () => {
    for (let round = 0; round < 20; round++) {
      const { order } = await buy()
      await letLapse(order.id)
      await Promise.all([unreachable().capture(order.id), sale.capture(order.id), sale.capture(order.id)])
    }
  })
})

describe('a cancel', () => {
  test('leaves a confirmed order alone', async () => {
    const { order, read } = await buy()
    await sale.cancelPayment(order.id)
    expect(await read()).toMatchObject({ state: 'CONFIRMED', payment: 'AUTHORIZED' })
    expect(await atNetwork(database, order.id)).toMatchObject([{ state: 'authorized' }])
  })

  test('whose reply is lost runs again, and finds the payment cancelled', async () => {
    const { order, read } = await buy('pm_capture_refused')
    await sale.capture(order.id)
    await database.sql(
      `update sandbox_payments set payment_method = 'pm_cancel_lost_reply' where order_id = $1`,
      [order.id],
    )
    await expect(sale.cancelPayment(order.id)).rejects.toThrow('the reply was lost')
    expect(await read()).toMatchObject({ state: 'CANCELLED', payment: 'AUTHORIZED' })
    await sale.cancelPayment(order.id)
    expect(await read()).toMatchObject({ state: 'CANCELLED', payment: 'VOIDED' })
  })

  test('of an order that does not exist does nothing', async () => {
    await sale.cancelPayment('ord_x_00')
    await sale.capture('nonsense')
  })
})

import { afterEach, describe, expect, test } from 'vitest'
import type { PaymentProvider } from '../../../src/payments/provider.ts'
import { newId } from '../../../src/sale/ids.ts'
import type { OrderView } from '../../../src/sale/orders/orders.ts'
import { PaymentDeclined, SeatsGone } from '../../../src/sale/refusals.ts'
import { claimOrder } from '../../../src/sql/claims.ts'
import { moveSandboxPayment } from '../../../src/sql/sandboxPayments.ts'
import { runOut, testAccount, testCheckout, workOutbox } from '../../support/checkout.ts'
import { testDatabase } from '../../support/database.ts'
import { paymentTable } from '../../support/paymentTable.ts'
import { expectSettled } from '../../support/settled.ts'

const database = await testDatabase()
const sale = testCheckout(database)
const { held, paying, pass, work, endOf } = paymentTable(database, sale)
afterEach(() => expectSettled(database, sale))

const PAID = ['CONFIRMED CAPTURED', 'captured 10900 0']
const GIVEN_BACK = ['SEATS_GONE VOIDED', 'cancelled 0 0']

/** Does something once, after the card was sent. */
function afterConfirm(during: () => Promise<unknown>) {
  return (provider: PaymentProvider): PaymentProvider => ({
    ...provider,
    async confirm(request) {
      const answer = await provider.confirm(request)
      await during()
      return answer
    },
  })
}

describe('an approved card', () => {
  test('buys the seats of a hold that is alive', async () => {
    const { account, hold } = await held()
    const order = (await sale.pay(account, hold)) as OrderView
    await work()
    expect(await endOf(order.id)).toEqual(PAID)
  })

  test('buys the seats of a hold that has run out, while they are free', async () => {
    const { account, hold } = await held()
    await runOut(database, hold)
    const order = (await sale.pay(account, hold)) as OrderView
    await work()
    expect(await endOf(order.id)).toEqual(PAID)
  })

  test('is given back where a seat is gone', async () => {
    const { event, account, hold } = await held()
    const slow = testCheckout(database, {
      wrap: afterConfirm(async () => {
        await runOut(database, hold)
        await sale.hold(testAccount(), event, [2])
      }),
    })
    const gone = await slow.pay(account, hold)
    expect(gone).toBeInstanceOf(SeatsGone)
    await work()
    expect(await endOf((gone as SeatsGone).orderId)).toEqual(GIVEN_BACK)
  })
})

test('a declined card takes no money, and another card buys the seats', async () => {
  const { account, hold } = await held()
  const declined = await sale.pay(account, hold, 'pm_card_declined')
  expect(declined).toBeInstanceOf(PaymentDeclined)
  const order = (await sale.pay(account, hold)) as OrderView
  await work()
  expect(await endOf((declined as PaymentDeclined).orderId)).toEqual(['DECLINED NONE', 'cancelled 0 0'])
  expect(await endOf(order.id)).toEqual(PAID)
})

describe('a card that needs its buyer', () => {
  async function waiting() {
    const { account, hold } = await held()
    const order = (await sale.pay(account, hold, 'pm_needs_action', 'card 1')) as OrderView
    expect(order).toMatchObject({
      state: 'PAYING',
      nextAction: { clientSecret: null, url: expect.stringContaining('/dev/payments/pi_') },
    })
    const [row] = await database.sql<{ intent: string; end: Date }>(
      'select intent_id as intent, pay_until as end from orders where id = $1',
      [order.id],
    )
    expect(order.nextAction?.expiresAt).toEqual(row?.end)
    return { account, hold, order, intent: row?.intent as string }
  }
  const approve = (intent: string) => moveSandboxPayment(database, intent, ['action_required'], 'authorized')
  const refuse = (intent: string) =>
    moveSandboxPayment(database, intent, ['action_required'], 'declined', {
      declineReason: 'AUTHENTICATION_FAILED',
    })

  test.each(['the message of the provider', 'the settler', 'the return of the buyer'])(
    'buys the seats after the approval, found by %s',
    async (by) => {
      const { account, hold, order, intent } = await waiting()
      await approve(intent)
      if (by === 'the settler') {
        await pass(order.id, 1)
        await sale.settleStuck()
      } else if (by === 'the return of the buyer') {
        expect(await sale.pay(account, hold, 'pm_needs_action', 'card 1')).toMatchObject({ id: order.id })
      } else expect(await sale.paymentChanged('sandbox', intent)).toBe(true)
      expect(await sale.orders.find(account, order.id)).toMatchObject({
        state: 'CONFIRMED',
        nextAction: null,
      })
      await work()
      expect(await endOf(order.id)).toEqual(PAID)
    },
  )

  test('is declined after the refusal, and the hold stays for another card', async () => {
    const { account, hold, order, intent } = await waiting()
    await refuse(intent)
    await sale.paymentChanged('sandbox', intent)
    expect(await sale.orders.find(account, order.id)).toMatchObject({
      state: 'DECLINED',
      declineReason: 'AUTHENTICATION_FAILED',
      nextAction: null,
    })
    const next = (await sale.pay(account, hold)) as OrderView
    await work()
    expect(await endOf(order.id)).toEqual(['DECLINED NONE', 'cancelled 0 0'])
    expect(await endOf(next.id)).toEqual(PAID)
  })

  test('is cancelled where it is abandoned, and the seats come back after that', async () => {
    const { account, hold, order, intent } = await waiting()
    await pass(order.id, 14)
    await sale.settleStuck()
    expect(await endOf(order.id)).toEqual(['PAYING NONE', 'action_required 0 0'])
    await pass(order.id, 1.1)
    await work()
    expect(await endOf(order.id)).toEqual(GIVEN_BACK)
    expect(await sale.holds.find(account, hold.id)).toMatchObject({ state: 'RELEASED' })
    await approve(intent)
    await sale.paymentChanged('sandbox', intent)
    expect(await endOf(order.id)).toEqual(GIVEN_BACK)
  })

  test('gives way to another card: the first payment is cancelled before the second begins', async () => {
    const { account, hold, order, intent } = await waiting()
    const next = (await sale.pay(account, hold, 'pm_card_visa', 'card 2')) as OrderView
    expect(next).toMatchObject({ state: 'CONFIRMED' })
    expect(next.id).not.toBe(order.id)
    await approve(intent)
    await work()
    expect(await endOf(order.id)).toEqual(['DECLINED NONE', 'cancelled 0 0'])
    expect(await endOf(next.id)).toEqual(PAID)
  })

  test('that was approved meanwhile buys the seats, and another card is not charged', async () => {
    const { account, hold, order, intent } = await waiting()
    await approve(intent)
    expect(await sale.pay(account, hold, 'pm_card_visa', 'card 2')).toMatchObject({
      id: order.id,
      state: 'CONFIRMED',
    })
    await work()
    expect(await endOf(order.id)).toEqual(PAID)
  })

  test('ends once, whatever comes at the same moment', async () => {
    const ends = new Set<string>()
    for (let round = 0; round < 6; round++) {
      const { account, hold, order, intent } = await waiting()
      await Promise.all([
        approve(intent),
        sale.paymentChanged('sandbox', intent),
        sale.paymentChanged('sandbox', intent),
        sale.pay(account, hold, 'pm_card_visa', 'card 2'),
        sale.settle(order.id),
      ])
      await sale.settle(order.id)
      await work()
      const [first] = await endOf(order.id)
      ends.add(first as string)
      const confirmed = await database.sql(
        `select id from orders where hold_id = $1 and state = 'CONFIRMED' and payment = 'CAPTURED'`,
        [hold.id],
      )
      expect(confirmed).toHaveLength(1)
    }
    for (const end of ends) expect(['CONFIRMED CAPTURED', 'DECLINED NONE']).toContain(end)
  })
})

test.each(['one process', 'two processes'])('two submits at once in %s make one payment', async (where) => {
  for (let round = 0; round < 3; round++) {
    const { account, hold } = await held()
    const second = where === 'one process' ? sale : testCheckout(database)
    const [one, two] = (await Promise.all([
      sale.pay(account, hold, 'pm_card_visa', 'key'),
      second.pay(account, hold, 'pm_card_visa', 'key'),
    ])) as [OrderView, OrderView]
    expect(two.id).toBe(one.id)
    await sale.settle(one.id)
    await work()
    expect(await endOf(one.id)).toEqual(PAID)
  }
})

describe('a process that stops', () => {
  /** The provider does its work, and the process ends before it gets the answer. */
  const stopping = (call: 'prepare' | 'confirm') => ({
    wrap: (real: PaymentProvider): PaymentProvider => ({
      ...real,
      async [call](request: never) {
        await (real[call] as (request: never) => Promise<unknown>)(request)
        throw new Error('the process stopped')
      },
    }),
  })

  test('after the claim leaves an order that the settler pays', async () => {
    const { event, account, hold } = await held()
    const orderId = newId('ord', event.id)
    await claimOrder(database, {
      eventId: event.id,
      holdId: hold.id,
      accountId: account.id,
      orderId,
      idempotencyKey: 'k',
      inputHash: 'h',
      email: null,
      provider: 'sandbox',
      paymentMethod: 'pm_card_visa',
    })
    await pass(orderId, 1)
    await work()
    expect(await endOf(orderId)).toEqual(PAID)
  })

  test('after prepare leaves an intent that holds nothing, and the settler makes another one', async () => {
    const { orderId } = await paying('pm_card_visa', stopping('prepare'))
    await pass(orderId, 1)
    await work()
    expect((await endOf(orderId)).sort()).toEqual([...PAID, 'unconfirmed 0 0'].sort())
  })

  test('after confirm leaves an authorization that the settler finds', async () => {
    const { orderId } = await paying('pm_card_visa', stopping('confirm'))
    await pass(orderId, 1)
    await work()
    expect(await endOf(orderId)).toEqual(PAID)
  })

  test('after the sale leaves a capture that is made again', async () => {
    const { account, hold } = await held()
    const order = (await sale.pay(account, hold)) as OrderView
    await database.sql('delete from outbox')
    await pass(order.id, 5)
    await work()
    expect(await endOf(order.id)).toEqual(PAID)
  })

  test('after the capture leaves money that is found taken', async () => {
    const { account, hold } = await held()
    const order = (await sale.pay(account, hold)) as OrderView
    const [row] = await database.sql<{ intent: string }>(
      'select intent_id as intent from orders where id = $1',
      [order.id],
    )
    await moveSandboxPayment(database, row?.intent as string, ['authorized'], 'captured')
    await work()
    expect(await endOf(order.id)).toEqual(PAID)
  })
})

describe('a message of the provider', () => {
  test('that comes before our own commit, or is forged, changes nothing', async () => {
    expect(await sale.paymentChanged('sandbox', 'pi_nobody')).toBe(false)
    expect(await sale.paymentChanged('stripe', 'pi_nobody')).toBe(false)
    const { order, orderId } = await paying('pm_unknown')
    const [row] = await database.sql<{ intent: string }>(
      'select intent_id as intent from orders where id = $1',
      [orderId],
    )
    // It says that the payment was approved; the provider's record says that it is not decided.
    expect(await sale.paymentChanged('sandbox', row?.intent as string)).toBe(true)
    expect(await endOf(order.id)).toEqual(['PAYING NONE', 'processing 0 0'])
    await pass(orderId, 16)
    await work()
    expect(await endOf(orderId)).toEqual(GIVEN_BACK)
  })

  test('that comes late and twice changes no settled order', async () => {
    const { account, hold } = await held()
    const order = (await sale.pay(account, hold)) as OrderView
    const [row] = await database.sql<{ intent: string }>(
      'select intent_id as intent from orders where id = $1',
      [order.id],
    )
    const again = () => sale.paymentChanged('sandbox', row?.intent as string)
    await Promise.all([again(), again()])
    await workOutbox(database, sale)
    await Promise.all([again(), again()])
    expect(await endOf(order.id)).toEqual(PAID)
  })
})

test.each([
  ['JPY', 5_000n, 159n, 'captured 10318 0'],
  ['KWD', 12_345n, 686n, 'captured 26062 0'],
  // 0.39 and 2.4 percent of 50.00, rounded once, where the organizer's prices are made.
  ['EUR', 5_000n, 159n, 'captured 10318 0'],
])('%s is taken in its exact minor units', async (currency, price, fee, network) => {
  const { account, hold } = await held([1, 2], { currency, price, fee })
  const order = (await sale.pay(account, hold)) as OrderView
  expect(order.amount).toEqual({ amount: 2n * (price + fee), currency })
  await work()
  expect(await endOf(order.id)).toEqual(['CONFIRMED CAPTURED', network])
})

import { afterEach, beforeEach, describe, expect } from 'vitest'
import type { PaymentProvider } from '../../../src/payments/provider.ts'
import { newId } from '../../../src/sale/ids.ts'
import type { OrderView } from '../../../src/sale/orders/orders.ts'
import { PaymentDeclined, SeatsGone } from '../../../src/sale/refusals.ts'
import { claimOrder } from '../../../src/sql/orders/claims.ts'
import { runOut, testAccount, testCheckout, workOutbox } from '../../support/checkout.ts'
import type { TestDatabase } from '../../support/database.ts'
import type { Network } from '../../support/networks/network.ts'
import { eachNetwork } from '../../support/networks/rows.ts'
import { paymentTable } from '../../support/paymentTable.ts'
import { expectSettled } from '../../support/settled.ts'

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

/** The rows of what the buyer and the card do, of processes that stop, and of the provider's messages. */
export function paymentRows(database: TestDatabase, networks: readonly Network[]) {
  eachNetwork('payments', networks, (network, { row, decisive }) => {
    const { cards, provider } = network
    // A process for each row: its breaker has seen no failure of another row.
    let sale = testCheckout(database, { provider })
    beforeEach(() => {
      sale = testCheckout(database, { provider })
    })
    const { held, paying, pass, work, endOf, intentOf } = paymentTable(database, () => sale, network)
    const { approve, refuse } = network
    afterEach(() => expectSettled(database, sale, networks))

    describe('an approved card', () => {
      decisive('buys the seats of a hold that is alive', async () => {
        const { account, hold } = await held()
        const order = (await sale.pay(account, hold)) as OrderView
        await work()
        expect(await endOf(order.id)).toEqual(PAID)
      })

      row('buys the seats of a hold that has run out, while they are free', async () => {
        const { account, hold } = await held()
        await runOut(database, hold)
        const order = (await sale.pay(account, hold)) as OrderView
        await work()
        expect(await endOf(order.id)).toEqual(PAID)
      })

      row('is given back where a seat is gone', async () => {
        const { event, account, hold } = await held()
        const slow = testCheckout(database, {
          provider,
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

    row('a declined card takes no money, and another card buys the seats', async () => {
      const { account, hold } = await held()
      const declined = await sale.pay(account, hold, cards.declined)
      expect(declined).toBeInstanceOf(PaymentDeclined)
      const order = (await sale.pay(account, hold)) as OrderView
      await work()
      expect(await endOf((declined as PaymentDeclined).orderId)).toEqual(['DECLINED NONE', 'cancelled 0 0'])
      expect(await endOf(order.id)).toEqual(PAID)
    })

    describe('a card that needs its buyer', () => {
      async function waiting() {
        const { event, account, hold } = await held()
        const order = (await sale.pay(account, hold, cards.needsAction, 'card 1')) as OrderView
        const intent = await intentOf(order.id)
        expect(order).toMatchObject({ state: 'PAYING', nextAction: { url: expect.stringContaining(intent) } })
        const [row] = await database.sql<{ end: Date }>('select pay_until as end from orders where id = $1', [
          order.id,
        ])
        // The page of Mollie ends by itself, a moment before.
        const end = row?.end as Date
        if (network.name === 'mollie') expect((order.nextAction?.expiresAt as Date) <= end).toBe(true)
        else expect(order.nextAction?.expiresAt).toEqual(end)
        return { account, hold, order, intent, event }
      }

      type Waiting = Awaited<ReturnType<typeof waiting>>
      const ways = {
        'the message of the provider': async ({ intent }: Waiting) =>
          expect(await sale.paymentChanged(network.name, intent)).toBe(true),
        'the settler': async ({ order }: Waiting) => {
          await pass(order.id, 1)
          await sale.settleStuck()
        },
        'the return of the buyer': async ({ account, hold, order }: Waiting) =>
          expect(await sale.pay(account, hold, cards.needsAction, 'card 1')).toMatchObject({ id: order.id }),
      }
      for (const [way, find] of Object.entries(ways)) {
        const add = way === 'the message of the provider' ? decisive : row
        add(`buys the seats after the approval, found by ${way}`, async () => {
          const made = await waiting()
          const { account, order, intent } = made
          await approve(intent)
          await find(made)
          expect(await sale.orders.find(account, order.id)).toMatchObject({
            state: 'CONFIRMED',
            nextAction: null,
          })
          await work()
          expect(await endOf(order.id)).toEqual(PAID)
        })
      }

      decisive('is declined after the refusal, and the hold stays for another card', async () => {
        const { account, hold, order, intent } = await waiting()
        await refuse(intent)
        await sale.paymentChanged(network.name, intent)
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

      decisive('is cancelled where it is abandoned, and the seats come back after that', async () => {
        const { account, hold, order, intent } = await waiting()
        await pass(order.id, 14)
        await sale.settleStuck()
        expect(await endOf(order.id)).toEqual(['PAYING NONE', 'action_required 0 0'])
        await pass(order.id, 1.1)
        await work()
        expect(await endOf(order.id)).toEqual(GIVEN_BACK)
        expect(await sale.holds.find(account, hold.id)).toMatchObject({ state: 'RELEASED' })
        await approve(intent)
        await sale.paymentChanged(network.name, intent)
        expect(await endOf(order.id)).toEqual(GIVEN_BACK)
      })

      decisive('is declined where the page ends by itself, and the seats come back', async () => {
        const { event, order, intent } = await waiting()
        await pass(order.id, 15.1)
        await work()
        expect(await endOf(order.id)).toEqual(['DECLINED NONE', 'cancelled 0 0'])
        await approve(intent)
        await sale.paymentChanged(network.name, intent)
        expect(await endOf(order.id)).toEqual(['DECLINED NONE', 'cancelled 0 0'])
        // The decline left its buyer the rest of the hold, for another card.
        await pass(order.id, 5)
        await sale.hold(testAccount(), event, [1, 2])
      })

      decisive(
        'gives way to another card: the first payment is cancelled before the second begins',
        async () => {
          const { account, hold, order, intent } = await waiting()
          const next = (await sale.pay(account, hold, 'pm_card_visa', 'card 2')) as OrderView
          expect(next).toMatchObject({ state: 'CONFIRMED' })
          expect(next.id).not.toBe(order.id)
          await approve(intent)
          await work()
          expect(await endOf(order.id)).toEqual(['DECLINED NONE', 'cancelled 0 0'])
          expect(await endOf(next.id)).toEqual(PAID)
        },
      )

      row('that was approved meanwhile buys the seats, and another card is not charged', async () => {
        const { account, hold, order, intent } = await waiting()
        await approve(intent)
        expect(await sale.pay(account, hold, 'pm_card_visa', 'card 2')).toMatchObject({
          id: order.id,
          state: 'CONFIRMED',
        })
        await work()
        expect(await endOf(order.id)).toEqual(PAID)
      })

      row('ends once, whatever comes at the same moment', async () => {
        const ends = new Set<string>()
        for (let round = 0; round < 6; round++) {
          const { account, hold, order, intent } = await waiting()
          const [, , , another] = await Promise.all([
            approve(intent),
            sale.paymentChanged(network.name, intent),
            sale.paymentChanged(network.name, intent),
            sale.pay(account, hold, 'pm_card_visa', 'card 2'),
            sale.settle(order.id),
          ])
          await sale.settle(order.id)
          await work()
          const [first] = await endOf(order.id)
          ends.add(first as string)
          const paid = () =>
            database.sql(
              `select id from orders where hold_id = $1 and state = 'CONFIRMED' and payment = 'CAPTURED'`,
              [hold.id],
            )
          if ((await paid()).length === 0) {
            // The first payment had ended by then, and the other card was told to wait for it: its buyer tries again.
            expect(another).not.toMatchObject({ state: 'CONFIRMED' })
            await sale.pay(account, hold, 'pm_card_visa', 'card 3')
            await work()
          }
          const confirmed = await paid()
          expect(confirmed).toHaveLength(1)
        }
        for (const end of ends) expect(['CONFIRMED CAPTURED', 'DECLINED NONE']).toContain(end)
      })
    })

    for (const where of ['one process', 'two processes'])
      row(`two submits at once in ${where} make one payment`, async () => {
        for (let round = 0; round < 3; round++) {
          const { account, hold } = await held()
          const second = where === 'one process' ? sale : testCheckout(database, { provider })
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

      row('after the claim leaves an order that the settler pays', async () => {
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
          provider: network.name,
          paymentMethod: 'pm_card_visa',
        })
        await pass(orderId, 1)
        await work()
        expect(await endOf(orderId)).toEqual(PAID)
      })

      row(
        'after prepare leaves an intent that holds nothing, and the settler makes another one',
        async () => {
          const { orderId } = await paying(cards.approved, stopping('prepare'))
          await pass(orderId, 1)
          await work()
          expect((await endOf(orderId)).sort()).toEqual([...PAID, 'unconfirmed 0 0'].sort())
        },
      )

      decisive('after confirm leaves an authorization that the settler finds', async () => {
        const { orderId } = await paying(cards.approved, stopping('confirm'))
        await pass(orderId, 1)
        await work()
        expect(await endOf(orderId)).toEqual(PAID)
      })

      row('after the sale leaves a capture that is made again', async () => {
        const { account, hold } = await held()
        const order = (await sale.pay(account, hold)) as OrderView
        await database.sql('delete from outbox')
        await pass(order.id, 5)
        await work()
        expect(await endOf(order.id)).toEqual(PAID)
      })

      row('after the capture leaves money that is found taken', async () => {
        const { account, hold } = await held()
        const order = (await sale.pay(account, hold)) as OrderView
        await provider.capture({
          intentId: await intentOf(order.id),
          amount: order.amount,
          signal: new AbortController().signal,
        })
        await work()
        expect(await endOf(order.id)).toEqual(PAID)
      })
    })

    describe('a message of the provider', () => {
      decisive('that comes before our own commit, or is forged, changes nothing', async () => {
        expect(await sale.paymentChanged(network.name, 'pi_nobody')).toBe(false)
        expect(await sale.paymentChanged('another provider', 'pi_nobody')).toBe(false)
        const { orderId } = await paying(cards.needsAction)
        const intent = await intentOf(orderId)
        // It says that the payment was approved; the provider's record says that the buyer has yet to act.
        expect(await sale.paymentChanged(network.name, intent)).toBe(true)
        expect(await endOf(orderId)).toEqual(['PAYING NONE', 'action_required 0 0'])
        await approve(intent)
        expect(await sale.paymentChanged(network.name, intent)).toBe(true)
        await work()
        expect(await endOf(orderId)).toEqual(PAID)
      })

      decisive('that comes late and twice changes no settled order', async () => {
        const { account, hold } = await held()
        const order = (await sale.pay(account, hold)) as OrderView
        const intent = await intentOf(order.id)
        const again = () => sale.paymentChanged(network.name, intent)
        await Promise.all([again(), again()])
        await workOutbox(database, sale)
        await Promise.all([again(), again()])
        expect(await endOf(order.id)).toEqual(PAID)
      })
    })

    async function buy(currency: string, price: bigint, fee: bigint) {
      const { account, hold } = await held([1, 2], { currency, price, fee })
      const order = await sale.pay(account, hold)
      await work()
      return order
    }

    for (const [name, currency, price, fee, network] of [
      ['JPY', 'JPY', 5_000n, 159n, 'captured 10318 0'],
      ['KWD', 'KWD', 12_340n, 690n, 'captured 26060 0'],
      ['KWD with odd fils', 'KWD', 12_345n, 686n, 'captured 26062 0'],
      // 0.39 and 2.4 percent of 50.00, rounded once, where the organizer's prices are made.
      ['EUR with fees of 0.39 plus 2.4 percent', 'EUR', 5_000n, 159n, 'captured 10318 0'],
    ] as const) {
      const add = name === currency ? decisive : row
      add(`${name} is taken in its exact minor units`, async () => {
        const order = (await buy(currency, price, fee)) as OrderView
        expect(order.amount).toEqual({ amount: 2n * (price + fee), currency })
        expect(await endOf(order.id)).toEqual(['CONFIRMED CAPTURED', network])
      })
    }

    decisive('KWD in an amount that the provider cannot take is declined, and no money moves', async () => {
      const declined = await buy('KWD', 12_345n, 686n)
      expect(declined).toBeInstanceOf(PaymentDeclined)
      expect(await endOf((declined as PaymentDeclined).orderId)).toEqual(['DECLINED NONE'])
    })
  })
}

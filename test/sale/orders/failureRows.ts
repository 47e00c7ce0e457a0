import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { guard } from '../../../src/payments/guard.ts'
import { createRegistry, ProviderNotConfigured } from '../../../src/payments/registry.ts'
import type { OrderView } from '../../../src/sale/orders/orders.ts'
import { RefundRefused } from '../../../src/sale/orders/refunds.ts'
import { SeatsGone } from '../../../src/sale/refusals.ts'
import { runOut, testAccount, testCheckout, workOutbox } from '../../support/checkout.ts'
import type { TestDatabase } from '../../support/database.ts'
import { insertEvent } from '../../support/event.ts'
import { LONG } from '../../support/long.ts'
import type { Card, Network } from '../../support/networks/network.ts'
import { eachNetwork } from '../../support/networks/rows.ts'
import { paymentTable } from '../../support/paymentTable.ts'
import { expectSettled } from '../../support/settled.ts'

const PAID = ['CONFIRMED CAPTURED', 'captured 10900 0']
const GIVEN_BACK = ['SEATS_GONE VOIDED', 'cancelled 0 0']
const CANCELLED = ['CANCELLED VOIDED', 'cancelled 0 0']

/** The rows in which the provider or the bank fails. */
export function failureRows(database: TestDatabase, networks: readonly Network[]) {
  eachNetwork('failures', networks, (network, { row, decisive }) => {
    const { cards, provider } = network
    // A process for each row: its breaker has seen no failure of another row.
    let sale = testCheckout(database, { provider })
    beforeEach(() => {
      sale = testCheckout(database, { provider })
    })
    const { held, paying, pass, work, endOf, intentOf } = paymentTable(database, () => sale, network)
    afterEach(async () => {
      await network.out(false)
      await expectSettled(database, sale, networks)
    })

    async function bought(card: Card = 'approved') {
      const made = await held()
      const order = (await sale.pay(made.account, made.hold, cards[card])) as OrderView
      expect(order).toMatchObject({ state: 'CONFIRMED' })
      return { ...made, orderId: order.id }
    }

    describe('a payment that is unknown', () => {
      decisive('and approved later buys the seats', async () => {
        const { orderId } = await paying(cards.approvedLater)
        await pass(orderId, 1)
        await work()
        expect(await endOf(orderId)).toEqual(PAID)
      })

      decisive('and declined later leaves the hold for another card', async () => {
        const { account, hold, orderId } = await paying(cards.declinedLater)
        await pass(orderId, 1)
        await work()
        expect(await endOf(orderId)).toEqual(['DECLINED NONE', 'cancelled 0 0'])
        expect(await sale.pay(account, hold)).toMatchObject({ state: 'CONFIRMED' })
      })

      row(
        'for a quarter of an hour is cancelled at the provider first, and frees its seats after',
        async () => {
          const { event, account, orderId } = await paying(cards.undecided)
          await pass(orderId, 14)
          await sale.settleStuck()
          await sale.holds.sweep(event.id)
          await expect(sale.hold(testAccount(), event, [1])).rejects.toThrow('SeatsTaken')
          await pass(orderId, 1.1)
          await work()
          expect(await endOf(orderId)).toEqual(GIVEN_BACK)
          // The buyer is free, and so are the seats.
          await sale.hold(account, event, [1, 2])
        },
      )

      row(
        'for a day, from a provider that never answers, ends all the same, and its cancel follows',
        async () => {
          const { event, account, orderId } = await paying(cards.lostReply)
          await network.out(true)
          await pass(orderId, 16)
          await sale.settleStuck()
          // Its seats are its own until the provider has had two more minutes to answer.
          await expect(sale.hold(testAccount(), event, [1])).rejects.toThrow('SeatsTaken')
          expect(await endOf(orderId)).toEqual(['PAYING NONE', 'authorized 0 0'])
          await pass(orderId, 2)
          await sale.settleStuck()
          expect(await endOf(orderId)).toEqual(['SEATS_GONE NONE', 'authorized 0 0'])
          await sale.hold(account, event, [1, 2])
          await pass(orderId, 24 * 60)
          await database.sql('delete from outbox')
          await network.out(false)
          await work()
          expect(await endOf(orderId)).toEqual(GIVEN_BACK)
        },
      )

      decisive(
        'for a quarter of an hour at a provider that cannot cancel it ends, and its cancel follows the decision',
        async () => {
          const { event, account, orderId } = await paying(cards.undecided)
          await pass(orderId, 16)
          await sale.settleStuck()
          await expect(sale.hold(testAccount(), event, [1])).rejects.toThrow('SeatsTaken')
          expect(await endOf(orderId)).toEqual(['PAYING NONE', 'processing 0 0'])
          await pass(orderId, 2)
          await sale.settleStuck()
          expect(await endOf(orderId)).toEqual(['SEATS_GONE NONE', 'processing 0 0'])
          await sale.hold(account, event, [1, 2])
          await expect(sale.cancelPayment(orderId)).rejects.toThrow()
          await network.decide(await intentOf(orderId))
          await work()
          expect(await endOf(orderId)).toEqual(GIVEN_BACK)
        },
      )
    })

    decisive('a cancel that comes after the capture is followed by a refund', async () => {
      const { event, account, hold } = await held()
      const slow = testCheckout(database, {
        provider,
        wrap: (real) => ({
          ...real,
          async confirm(request) {
            const answer = await real.confirm(request)
            // Ops capture it by hand, at the provider.
            await real.capture(request)
            await runOut(database, hold)
            await sale.hold(testAccount(), event, [2])
            return answer
          },
        }),
      })
      const gone = (await slow.pay(account, hold)) as SeatsGone
      expect(gone).toBeInstanceOf(SeatsGone)
      const jobs = await workOutbox(database, sale)
      expect(jobs.map(({ job }) => job)).toEqual(['cancelPayment', 'refundPayment'])
      expect(await endOf(gone.orderId)).toEqual(['SEATS_GONE REFUNDED', 'captured 10900 10900'])
      expect(await sale.orders.find(account, gone.orderId)).toMatchObject({ refunded: 10_900n })
    })

    describe('a capture', () => {
      row('of an authorization that has lapsed cancels the order', async () => {
        const { orderId } = await bought()
        await network.age(orderId, 8 * 24 * 60)
        await work()
        expect(await endOf(orderId)).toEqual(CANCELLED)
      })

      for (const minutes of [10, 6 * 60])
        row(`that is unknown for ${minutes} minutes is made after that`, async () => {
          const { orderId } = await bought('captureUnknown')
          await expect(workOutbox(database, sale)).rejects.toThrow()
          await pass(orderId, minutes)
          await expect(sale.capture(orderId)).rejects.toThrow()
          expect(await endOf(orderId)).toEqual(['CONFIRMED AUTHORIZED', 'authorized 0 0'])
          await network.becomes(orderId, 'approved')
          await work()
          expect(await endOf(orderId)).toEqual(PAID)
        })

      row('that is unknown to the last day cancels the order', async () => {
        const { orderId } = await bought('captureUnknown')
        await database.sql('delete from outbox')
        await pass(orderId, 6 * 24 * 60 + 60)
        await work()
        expect(await endOf(orderId)).toEqual(CANCELLED)
      })

      decisive('that is refused for good cancels the order', async () => {
        const { orderId } = await bought('captureRefused')
        await work()
        expect(await endOf(orderId)).toEqual(CANCELLED)
      })
    })

    describe('a refund', () => {
      /** An order whose money is taken, and that was then cancelled: it owes a refund. */
      async function owing(card: Card) {
        const { account, orderId } = await bought()
        await database.sql(`update orders set authorized_until = now() + interval '1 hour' where id = $1`, [
          orderId,
        ])
        const unlucky = testCheckout(database, {
          provider,
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
        await network.becomes(orderId, card)
        await sale.cancelPayment(orderId)
        await database.sql('delete from outbox')
        const refundId = `rfd${orderId.slice(3)}`
        expect(await endOf(orderId)).toEqual(['CANCELLED REFUND_OWED', 'captured 10900 0'])
        return { account, orderId, refundId }
      }

      decisive(
        'that is refused for good stays owed, fails each time, and is made once the bank accepts it',
        async () => {
          const { orderId, refundId } = await owing('refundRefused')
          for (let attempt = 0; attempt < 3; attempt++)
            await expect(sale.refundPayment(refundId)).rejects.toBeInstanceOf(RefundRefused)
          expect(await endOf(orderId)).toEqual(['CANCELLED REFUND_OWED', 'captured 10900 0'])
          expect(await database.sql('select state, refusals from refunds where id = $1', [refundId])).toEqual(
            [{ state: 'REFUSED', refusals: 3 }],
          )
          await network.becomes(orderId, 'approved')
          // The settler emits it again, as any money that is owed.
          await pass(orderId, 5)
          await work()
          expect(await endOf(orderId)).toEqual(['CANCELLED REFUNDED', 'captured 10900 10900'])
        },
      )

      row('whose reply is lost is read at the provider, and made once', async () => {
        const { orderId, refundId } = await owing('refundLostReply')
        await expect(sale.refundPayment(refundId)).rejects.toThrow()
        expect(await sale.refundPayment(refundId)).toBe('done')
        expect(await endOf(orderId)).toEqual(['CANCELLED REFUNDED', 'captured 10900 10900'])
      })

      row('that is pending stays owed until the provider reports it done', async () => {
        const { account, orderId, refundId } = await owing('refundPending')
        expect(await sale.refundPayment(refundId)).toBe('pending')
        expect(await sale.refundPayment(refundId)).toBe('pending')
        expect(await sale.orders.find(account, orderId)).toMatchObject({
          payment: 'REFUND_OWED',
          refunded: 0n,
        })
        await network.settleRefunds()
        await sale.paymentChanged(network.name, await intentOf(orderId))
        expect(await endOf(orderId)).toEqual(['CANCELLED REFUNDED', 'captured 10900 10900'])
      })

      row('is made once, however many jobs run', async () => {
        for (const card of ['approved', 'refundLostReply'] as const) {
          const { orderId, refundId } = await owing(card)
          await Promise.allSettled(Array.from({ length: 4 }, () => sale.refundPayment(refundId)))
          await sale.refundPayment(refundId)
          expect(await endOf(orderId)).toEqual(['CANCELLED REFUNDED', 'captured 10900 10900'])
        }
      })
    })

    row(
      'a provider that is out for an hour, with orders in every state, leaves no order and no money behind',
      async () => {
        const SEATS = LONG ? 200 : 48
        const event = await insertEvent(database, { sections: [{ seats: SEATS }] })
        const kinds = [
          'approved',
          'undecided',
          'needsAction',
          'lostReply',
          'captureUnknown',
          'declined',
        ] as const
        const quick = testCheckout(database, { provider, patienceMs: 0 })
        const orders: { id: string; kind: Card }[] = []
        const made = Array.from({ length: SEATS }, async (_, i) => {
          const account = testAccount()
          const hold = await sale.hold(account, event, [i + 1])
          const kind = kinds[i % kinds.length] as Card
          await quick.pay(account, hold, cards[kind])
          const [row] = await database.sql<{ id: string }>('select id from orders where hold_id = $1', [
            hold.id,
          ])
          if (row) orders.push({ id: row.id, kind })
        })
        await Promise.all(made)
        await network.out(true)
        for (let minute = 0; minute < 60; minute += 10) {
          for (const { id } of orders) await pass(id, 10)
          await sale.settleStuck()
        }
        // Each order has ended: the provider's silence keeps no seat, and no buyer.
        expect(
          await database.sql(`select id from orders where state = 'PAYING' and event_id = $1`, [event.id]),
        ).toEqual([])
        await network.out(false)
        for (const { id, kind } of orders) {
          if (kind === 'captureUnknown') await network.becomes(id, 'approved')
          if (kind === 'undecided') await network.decide(await intentOf(id))
        }
        // A new process: its breaker has seen no outage.
        const later = testCheckout(database, { provider })
        for (const { id } of orders) await pass(id, 5)
        await work(later)
        // An intent whose reply was lost holds nothing.
        const ends = await Promise.all(
          orders.map(async ({ id }) =>
            (await endOf(id)).filter((end) => end !== 'unconfirmed 0 0').join(', '),
          ),
        )
        for (const end of ends) {
          expect([
            'CONFIRMED CAPTURED, captured 5450 0',
            'SEATS_GONE VOIDED, cancelled 0 0',
            'SEATS_GONE NONE',
            'DECLINED NONE, cancelled 0 0',
          ]).toContain(end)
        }
      },
    )
  })

  test('an order belongs to its provider, whatever the configuration says later', async () => {
    const [, stripe, mollie] = networks as readonly [Network, Network, Network]
    const process = (...configured: [Network, ...Network[]]) => {
      const guarded = ({ provider }: Network) => guard(provider, { takePermit: async () => 0 })
      const [first, ...others] = configured
      return testCheckout(database, { payments: createRegistry([guarded(first), ...others.map(guarded)]) })
    }
    const before = process(stripe)
    const { held, work, endOf, intentOf } = paymentTable(database, () => before, stripe)
    const { account, hold, event } = await held()
    const order = (await before.pay(account, hold)) as OrderView
    const waiting = (await before.pay(
      account,
      await before.hold(account, event, [3]),
      stripe.cards.needsAction,
    )) as OrderView

    const without = process(mollie)
    await expect(without.capture(order.id)).rejects.toBeInstanceOf(ProviderNotConfigured)
    await expect(without.settle(waiting.id)).rejects.toBeInstanceOf(ProviderNotConfigured)

    const after = process(mollie, stripe)
    const next = (await after.pay(account, await after.hold(account, event, [4]))) as OrderView
    await stripe.approve(await intentOf(waiting.id))
    await after.settle(waiting.id)
    await work(after)
    for (const { id } of [order, waiting, next]) expect((await endOf(id))[0]).toBe('CONFIRMED CAPTURED')
    expect(
      await database.sql('select provider from orders where event_id = $1 order by placed_at', [event.id]),
    ).toEqual([{ provider: 'stripe' }, { provider: 'stripe' }, { provider: 'mollie' }])
    await expectSettled(database, after, networks)
  })
}

import { expect } from 'vitest'
import type { OrderView } from '../../src/sale/orders/orders.ts'
import { inTransaction } from '../../src/sql/database/transaction.ts'
import {
  type TestCheckout,
  type TestCheckoutOptions,
  testAccount,
  testCheckout,
  workOutbox,
} from './checkout.ts'
import type { TestDatabase } from './database.ts'
import { insertEvent, type TestEventOptions } from './event.ts'
import type { Network } from './networks/network.ts'
import { sandboxNetwork } from './networks/sandbox.ts'

/** The set-up of the table of payments: orders in one database, time that passes, and the end of an order. */
export function paymentTable(
  database: TestDatabase,
  sale: () => TestCheckout,
  network: Network = sandboxNetwork(database),
) {
  async function held(seatNos: readonly number[] = [1, 2], options: TestEventOptions = {}) {
    const event = await insertEvent(database, { sections: [{ seats: 6 }], ...options })
    const account = testAccount()
    return { event, account, hold: await sale().hold(account, event, seatNos) }
  }

  return {
    held,

    /** An order that its process left as it was after its provider's call: patience is over at once. */
    async paying(paymentMethod: string, options: TestCheckoutOptions = {}) {
      const made = await held()
      const process = testCheckout(database, { provider: network.provider, patienceMs: 0, ...options })
      const order = (await process.pay(made.account, made.hold, paymentMethod)) as OrderView
      expect(order).toMatchObject({ state: 'PAYING' })
      return { ...made, order, orderId: order.id }
    },

    /** Lets time pass for everything about one order. Locks in the product's order: order, hold, seats. */
    async pass(orderId: string, minutes: number): Promise<void> {
      const by = `make_interval(secs => ${Math.round(minutes * 60)})`
      await network.age(orderId, minutes)
      await inTransaction(database, async (client) => {
        const change = (statement: string) => client.query(statement, [orderId])
        await change(
          `update orders set placed_at = placed_at - ${by}, changed_at = changed_at - ${by},
               settler_at = settler_at - ${by}, pay_until = pay_until - ${by}, authorized_until = authorized_until - ${by}
             where id = $1`,
        )
        await change(
          `update holds h set created_at = h.created_at - ${by}, expires_at = h.expires_at - ${by},
               unpaid_until = h.unpaid_until - ${by}
             from orders o
             where o.id = $1 and h.event_id = o.event_id and h.id = o.hold_id and h.outcome is null`,
        )
        await change(
          `with own as (
             select s.event_id, s.no
               from orders o join seats s on s.event_id = o.event_id and s.hold_id = o.hold_id
               where o.id = $1 order by s.no for no key update of s
           )
           update seats s set held_until = s.held_until - ${by}
             from own where s.event_id = own.event_id and s.no = own.no`,
        )
        await change(
          `update refunds set created_at = created_at - ${by}, changed_at = changed_at - ${by},
               settler_at = settler_at - ${by}
             where order_id = $1`,
        )
      })
    },

    async intentOf(orderId: string): Promise<string> {
      const [row] = await database.sql<{ intent: string }>(
        'select intent_id as intent from orders where id = $1',
        [orderId],
      )
      return row?.intent as string
    },

    /** Runs the settler and the jobs, as workers do every half minute. */
    async work(process = sale()): Promise<void> {
      await process.settleStuck()
      await process.endLost()
      await process.emitAgain()
      await workOutbox(database, process)
    },

    /** The order's state and payment here, and its payments at the network, as `state captured refunded`. */
    async endOf(orderId: string): Promise<string[]> {
      const [order] = await database.sql('select state, payment from orders where id = $1', [orderId])
      const records = (await network.records())
        .filter((record) => record.orderId === orderId)
        .map(({ state, captured, refunded }) => `${state} ${captured} ${refunded}`)
      return [`${order?.state} ${order?.payment}`, ...records]
    },
  }
}

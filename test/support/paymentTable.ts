import { expect } from 'vitest'
import type { OrderView } from '../../src/sale/orders/orders.ts'
import { inTransaction } from '../../src/sql/transaction.ts'
import {
  atNetwork,
  type TestCheckout,
  type TestCheckoutOptions,
  testAccount,
  testCheckout,
  workOutbox,
} from './checkout.ts'
import type { TestDatabase } from './database.ts'
import { insertEvent, type TestEventOptions } from './event.ts'

/** The set-up of the table of payments: orders in one database, time that passes, and the end of an order. */
export function paymentTable(database: TestDatabase, sale: TestCheckout) {
  async function held(seatNos: readonly number[] = [1, 2], options: TestEventOptions = {}) {
    const event = await insertEvent(database, { sections: [{ seats: 6 }], ...options })
    const account = testAccount()
    return { event, account, hold: await sale.hold(account, event, seatNos) }
  }

  return {
    held,

    /** An order that its process left as it was after its provider's call: patience is over at once. */
    async paying(paymentMethod: string, options: TestCheckoutOptions = {}) {
      const made = await held()
      const process = testCheckout(database, { patienceMs: 0, ...options })
      const order = (await process.pay(made.account, made.hold, paymentMethod)) as OrderView
      expect(order).toMatchObject({ state: 'PAYING' })
      return { ...made, order, orderId: order.id }
    },

    /** Lets time pass for everything about one order. Locks in the product's order: order, hold, seats. */
    pass(orderId: string, minutes: number): Promise<void> {
      const by = `make_interval(secs => ${Math.round(minutes * 60)})`
      return inTransaction(database, async (client) => {
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
        await change(
          `update sandbox_payments set created_at = created_at - ${by}, confirmed_at = confirmed_at - ${by}
             where order_id = $1`,
        )
      })
    },

    /** Runs the settler and the jobs, as workers do every half minute. */
    async work(process: TestCheckout = sale): Promise<void> {
      await process.settleStuck()
      await process.endLost()
      await process.emitAgain()
      await workOutbox(database, process)
    },

    /** The card behaves in another way from now on. */
    async becomes(orderId: string, paymentMethod: string): Promise<void> {
      await database.sql('update sandbox_payments set payment_method = $2 where order_id = $1', [
        orderId,
        paymentMethod,
      ])
      await database.sql(
        'update orders set payment_method = $2 where id = $1 and payment_method is not null',
        [orderId, paymentMethod],
      )
    },

    /** The order's state and payment here, and its payments at the network, as `state captured refunded`. */
    async endOf(orderId: string): Promise<string[]> {
      const [order] = await database.sql('select state, payment from orders where id = $1', [orderId])
      const network = (await atNetwork(database, orderId)).map(
        ({ state, captured, refunded }) => `${state} ${captured} ${refunded}`,
      )
      return [`${order?.state} ${order?.payment}`, ...network]
    },
  }
}

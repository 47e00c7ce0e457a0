import { expect, test } from 'vitest'
import type { OrderView } from '../../../src/sale/orders/orders.ts'
import { createOrderRefunds } from '../../../src/sale/orders/refundOrder.ts'
import { moveSandboxPayment } from '../../../src/sql/orders/sandboxPayments.ts'
import { opsAccount, type TestCheckoutOptions, testCheckout, workOutbox } from '../../support/checkout.ts'
import { testDatabase } from '../../support/database.ts'
import { paymentTable } from '../../support/paymentTable.ts'

/*
 * Ops discard a dead letter, and do its work by hand in the provider's dashboard. The provider's message about the payment then
 * settles the order.
 */

const database = await testDatabase()
/** A network with a dashboard: refunds that are made there have no name of ours. */
const dashboard: TestCheckoutOptions = {
  wrap: (real) => ({
    ...real,
    async retrieve(request) {
      const payment = await real.retrieve(request)
      return (
        payment && {
          ...payment,
          refunds: payment.refunds.map((refund) => ({
            ...refund,
            refundId: refund.refundId?.startsWith('by hand') ? null : refund.refundId,
          })),
        }
      )
    },
  }),
}
const sale = testCheckout(database, dashboard)
const { held, endOf } = paymentTable(database, () => sale)
const { refundOrder } = createOrderRefunds({
  db: database,
  orders: sale.orders,
  publishChange: () => {},
})

async function bought() {
  const { account, hold } = await held()
  const order = (await sale.pay(account, hold)) as OrderView
  const [row] = await database.sql<{ intent: string }>(
    'select intent_id as intent from orders where id = $1',
    [order.id],
  )
  const intent = row?.intent as string
  return { order, intent, message: () => sale.paymentChanged('sandbox', intent) }
}

async function discard(job: string, subject: string) {
  await database.sql(
    `insert into dead_letters (id, queue, job, job_id, subject, data, error, attempts, discarded_at)
     values ($2, $1, $1, $2, $2, '{}', 'x', 12, now())`,
    [job, subject],
  )
  await database.sql('delete from outbox')
}

test('a capture that ops made by hand settles the order by the provider’s message', async () => {
  const { order, intent, message } = await bought()
  await discard('capturePayment', order.id)
  await message()
  expect(await endOf(order.id)).toEqual(['CONFIRMED AUTHORIZED', 'authorized 0 0'])
  await moveSandboxPayment(database, intent, ['authorized'], 'captured')
  await Promise.all([message(), message()])
  expect(await endOf(order.id)).toEqual(['CONFIRMED CAPTURED', 'captured 10900 0'])
})

test('a cancel that ops made by hand settles the order', async () => {
  const { order, intent, message } = await bought()
  await refundOrder(opsAccount(), { orderId: order.id, reason: 'asked', idempotencyKey: 'key' })
  await discard('cancelPayment', order.id)
  await message()
  expect(await endOf(order.id)).toEqual(['CANCELLED AUTHORIZED', 'authorized 0 0'])
  await moveSandboxPayment(database, intent, ['authorized'], 'cancelled')
  await message()
  expect(await endOf(order.id)).toEqual(['CANCELLED VOIDED', 'cancelled 0 0'])
})

test('a refund that ops made by hand pays one refund of that amount, and no other', async () => {
  const { order, intent, message } = await bought()
  await workOutbox(database, sale)
  const ticketIds = ((await sale.orders.findForOps(order.id))?.tickets ?? []).map(({ id }) => id)
  for (const id of ticketIds)
    await refundOrder(opsAccount(), {
      orderId: order.id,
      ticketIds: [id],
      reason: 'asked',
      idempotencyKey: id,
    })
  const refunds = await database.sql<{ id: string }>('select id from refunds where order_id = $1', [order.id])
  for (const { id } of refunds) await discard('refundPayment', id)
  const byHand = (name: string, amount: number) =>
    database.sql(
      `insert into sandbox_refunds (refund_id, intent_id, amount, state) values ($1, $2, $3, 'done')`,
      [name, intent, amount],
    )
  await byHand('by hand, another amount', 100)
  await message()
  expect(await endOf(order.id)).toEqual(['CANCELLED REFUND_OWED', 'captured 10900 100'])
  await byHand('by hand 1', 5_450)
  await Promise.all([message(), message()])
  expect(await endOf(order.id)).toEqual(['CANCELLED REFUND_OWED', 'captured 10900 5550'])
  await database.sql('delete from sandbox_refunds where amount = 100')
  await byHand('by hand 2', 5_450)
  await Promise.all([message(), message()])
  expect(await endOf(order.id)).toEqual(['CANCELLED REFUNDED', 'captured 10900 10900'])
})

import { expect, test } from 'vitest'
import type { HoldView } from '../../../src/sale/holds/holds.ts'
import { createOrderRefunds } from '../../../src/sale/orders/refundOrder.ts'
import { moveSandboxPayment } from '../../../src/sql/orders/sandboxPayments.ts'
import {
  opsAccount,
  runOut,
  type TestCheckout,
  testAccount,
  testCheckout,
  workOutbox,
} from '../../support/checkout.ts'
import { testDatabase } from '../../support/database.ts'
import { insertEvent } from '../../support/event.ts'
import { ask, isHold, sideBySide } from '../../support/holds.ts'
import { LONG } from '../../support/long.ts'
import { paymentTable } from '../../support/paymentTable.ts'
import { seededRandom } from '../../support/random.ts'
import { expectSettled } from '../../support/settled.ts'

/*
 * Everything at the same time, at random: two processes, a card network that loses replies, cards of each kind, several cards for
 * one hold, buyers who approve and refuse, messages of the provider, the settler, jobs, refunds, ops, holds that run out, and
 * other fans. The invariants: each seat has one owner, and each order has the money that its state says, here and at the network.
 */

const STEPS = LONG ? 6_000 : 300
const SEATS = LONG ? 400 : 60
const CARDS = [
  'pm_card_visa',
  'pm_card_visa',
  'pm_card_visa',
  'pm_card_declined',
  'pm_needs_action',
  'pm_needs_action',
  'pm_prepare_lost_reply',
  'pm_lost_reply',
  'pm_timeout',
  'pm_unknown',
  'pm_captured_at_once',
  'pm_cancel_lost_reply',
  'pm_capture_refused',
  'pm_capture_lost_reply',
  'pm_capture_unknown',
  'pm_refund_refused',
  'pm_refund_lost_reply',
]

const database = await testDatabase({ connections: 20 })
const calm = testCheckout(database)
const lossy = { patienceMs: 0, timeoutMs: 50, sandbox: { lostReplyRate: 0.1 } }
const processes = [testCheckout(database, lossy), testCheckout(database, lossy)]
const { pass } = paymentTable(database, () => calm)
const ops = opsAccount()
const { refundOrder } = createOrderRefunds({ db: database, orders: calm.orders, publishChange: () => {} })

interface Row {
  id: string
  intent: string | null
  state: string
  tickets: string[]
}

test('payments, refunds, ops and a network that loses replies, all at the same time, leave the right money and one owner a seat', async () => {
  const random = seededRandom()
  const pick = <T>(from: readonly T[]) => from[Math.floor(random() * from.length)] as T
  const event = await insertEvent(database, { sections: [{ seats: SEATS }], ticketLimit: 8 })
  const holds: { account: ReturnType<typeof testAccount>; hold: HoldView }[] = []

  async function anyOrder(): Promise<Row | undefined> {
    const rows = await database.sql<Row>(
      `select o.id, o.intent_id as intent, o.state, array(
           select t.id from tickets t where t.event_id = o.event_id and t.order_id = o.id and t.voided_at is null
         ) as tickets
         from orders o where o.event_id = $1 order by o.placed_at desc limit 12`,
      [event.id],
    )
    return rows.length > 0 ? pick(rows) : undefined
  }

  async function makeHold(process: TestCheckout) {
    const account = testAccount()
    const first = 1 + Math.floor(random() * (SEATS - 1))
    const hold = await ask(process.holds, account, event, [first, first + 1])
    if (isHold(hold)) holds.push({ account, hold })
  }

  async function oneJob(process: TestCheckout) {
    const [job] = await database.sql<{ job: string; data: { orderId: string; refundId: string } }>(
      'delete from outbox where id = (select min(id) from outbox) returning job, data',
    )
    if (job?.job === 'capturePayment') await process.capture(job.data.orderId)
    if (job?.job === 'cancelPayment') await process.cancelPayment(job.data.orderId)
    if (job?.job === 'refundPayment') await process.refundPayment(job.data.refundId)
  }

  async function step() {
    const process = pick(processes)
    const chance = random()
    if (chance < 0.2 || holds.length === 0) return makeHold(process)
    const { account, hold } = pick(holds.slice(-4))
    if (chance < 0.44) return process.pay(account, hold, pick(CARDS), pick(['a', 'b', process.key()]))
    if (chance < 0.46) return runOut(database, hold)
    if (chance < 0.48) return process.holds.sweep(event.id)
    if (chance < 0.5) return process.endLost()
    if (chance < 0.64) return oneJob(process)
    const order = await anyOrder()
    if (!order) return
    if (chance < 0.72) return order.intent && process.paymentChanged('sandbox', order.intent)
    if (chance < 0.78) return process.settle(order.id)
    if (chance < 0.84) {
      const isApproved = random() < 0.6
      return (
        order.intent &&
        moveSandboxPayment(
          database,
          order.intent,
          ['action_required'],
          isApproved ? 'authorized' : 'declined',
          isApproved ? {} : { declineReason: 'AUTHENTICATION_FAILED' },
        )
      )
    }
    if (chance < 0.91) {
      const ticketIds = random() < 0.5 ? null : order.tickets.slice(0, 1)
      return refundOrder(ops, {
        orderId: order.id,
        ticketIds,
        reason: 'asked',
        idempotencyKey: process.key(),
      })
    }
    if (chance < 0.95) return process.endPayment(ops, { orderId: order.id, reason: 'asked' })
    return pass(order.id, pick([1, 14, 18]))
  }

  const unexpected: unknown[] = []
  await sideBySide(STEPS, 8, async () => {
    try {
      await step()
    } catch (error) {
      // A lost reply, a key with other input, a refund of an order that is not confirmed: an answer.
      if (
        !/sandbox: |did not answer|BAD_USER_INPUT|input\.|IDEMPOTENCY|idempotency|refuses the refund|did not cancel|at its limit|no payment/.test(
          String(error),
        )
      )
        unexpected.push(error)
    }
    return 0
  })
  expect(unexpected).toEqual([])

  // The network is well again, and time passes until every order has ended.
  await database.sql(
    `update sandbox_payments set payment_method = 'pm_card_visa'
     where payment_method in ('pm_capture_unknown', 'pm_refund_refused')`,
  )
  await database.sql(
    `update orders set payment_method = 'pm_card_visa' where payment_method = 'pm_capture_unknown'`,
  )
  for (let round = 0; round < 3; round++) {
    const all = await database.sql<{ id: string }>('select id from orders where event_id = $1', [event.id])
    for (const { id } of all) await pass(id, 20)
    await calm.settleStuck()
    await calm.endLost()
    await calm.emitAgain()
    await workOutbox(database, calm)
  }
  await expectSettled(database, calm)
  expect(
    await database.sql(
      `select hold_id from orders where event_id = $1 and state in ('PAYING', 'CONFIRMED', 'CANCELLED', 'SEATS_GONE')
       group by 1 having count(*) > 1`,
      [event.id],
    ),
  ).toEqual([])
})

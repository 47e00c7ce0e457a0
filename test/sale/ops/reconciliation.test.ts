import { randomUUID } from 'node:crypto'
import pino from 'pino'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import type { HoldView } from '../../../src/sale/holds/holdView.ts'
import { createReconciliation } from '../../../src/sale/ops/reconciliation.ts'
import type { OrderView } from '../../../src/sale/orders/orders.ts'
import { readPaying } from '../../../src/sql/orders/unsettledOrders.ts'
import { testAccount } from '../../support/checkout.ts'
import { testDatabase } from '../../support/database.ts'
import { insertEvent, type TestEvent } from '../../support/event.ts'
import { testJobApp, until } from '../../support/jobs.ts'
import { testRedis } from '../../support/redis.ts'

const db = await testDatabase()
const redis = await testRedis()
const app = await testJobApp(db.url, redis.url)
const reconciliation = createReconciliation(app)
afterAll(() => app.close())

let event: TestEvent
let held: HoldView
let bought: OrderView
let captured: OrderView

/** Four seats held, two seats bought and captured, and one seat bought whose capture is in progress. */
beforeEach(async () => {
  event = await insertEvent(db, { sections: [{ seats: 20 }, { places: 10 }] })
  held = await hold([1, 2, 3, 4])
  captured = await buy([5, 6])
  await app.checkout.capture(captured.id)
  bought = await buy([7])
  // The map follows the commit.
  await until(async () => {
    const { held, sold } = await app.seatMap.counts(event.id)
    return held === 4 && sold === 3
  }, 'the map')
})

async function hold(seatNos: number[], account = testAccount()): Promise<HoldView> {
  return (await app.holds.hold(
    { account, deviceId: null, admissionToken: null },
    {
      eventId: event.id,
      seats: seatNos.map(event.seatId),
      idempotencyKey: randomUUID(),
    },
  )) as HoldView
}

async function buy(seatNos: number[]): Promise<OrderView> {
  const account = testAccount()
  const { id: holdId } = await hold(seatNos, account)
  const input = { holdId, paymentMethod: 'pm_card_visa', idempotencyKey: randomUUID() }
  return (await app.checkout.checkout(account, input)) as OrderView
}

/** Runs statements with the event as `$1`, as a bug or a hand in the database would. */
async function tamper(...statements: string[]) {
  for (const statement of statements) await db.sql(statement, [event.id])
}

async function findings() {
  const { ok, findings } = await reconciliation.of(event.id)
  expect(ok).toBe(findings.length === 0)
  return findings.map(({ kind, subject }) => ({ kind, subject }))
}

test('a sale in the middle of its life adds up', async () => {
  const result = await reconciliation.of(event.id)
  expect(result).toEqual({
    eventId: event.id,
    asOf: expect.any(Date),
    ok: true,
    capacity: 30,
    available: 23,
    held: 4,
    sold: 3,
    notForSale: 0,
    tickets: 3,
    ordersConfirmed: 2,
    ordersPaying: 0,
    captured: { amount: 10_900n, currency: 'EUR' },
    findings: [],
  })
})

test('seats of a hold that ran out are available, swept or not', async () => {
  await tamper(
    `update holds set expires_at = now() - interval '1 second' where event_id = $1 and id = '${held.id}'`,
    `update seats set held_until = now() - interval '1 second' where event_id = $1 and status = 1`,
  )
  expect(await reconciliation.of(event.id)).toMatchObject({ ok: true, available: 27, held: 0 })
})

test('blocked seats are not for sale', async () => {
  await tamper(`update seats set status = 3, revision = revision + 1 where event_id = $1 and no in (19, 20)`)
  await app.seatMap.rebuild(event.id)
  expect(await reconciliation.of(event.id)).toMatchObject({ ok: true, available: 21, notForSale: 2 })
})

test('the reconciliation of an unknown event fails', async () => {
  await expect(reconciliation.of('evt_none')).rejects.toThrow('there is no event evt_none')
})

describe('it finds', () => {
  test('a sold seat without its ticket', async () => {
    await tamper(`delete from tickets where event_id = $1 and seat_no = 6`)
    expect(await findings()).toEqual([
      { kind: 'SEAT_WITHOUT_TICKET', subject: event.seatId(6) },
      { kind: 'ORDER_WITHOUT_TICKET', subject: captured.id },
    ])
  })

  test('a ticket for a seat that is not its order’s', async () => {
    await tamper(
      `update seats set status = 0, order_id = null, revision = revision + 1 where event_id = $1 and no = 7`,
    )
    await app.seatMap.rebuild(event.id)
    expect(await findings()).toEqual([{ kind: 'TICKET_WITHOUT_SEAT', subject: bought.tickets[0]?.id }])
  })

  test('tickets of an order that is not confirmed, and money for it', async () => {
    await tamper(
      `update orders set state = 'CANCELLED', payment = 'VOIDED', money_due = null where id = '${captured.id}' and event_id = $1`,
    )
    expect(await findings()).toEqual([
      ...captured.tickets.map(({ id }) => ({ kind: 'TICKET_WITHOUT_ORDER', subject: id })),
      { kind: 'CAPTURE_WITHOUT_ORDER', subject: captured.id },
    ])
  })

  test('a seat sold twice, where the index that forbids it is gone', async () => {
    await tamper('select $1::text')
    await db.sql('drop index tickets_live_seat')
    await tamper(
      `insert into tickets (event_id, id, order_id, account_id, seat_no, no)
         select event_id, id || 'x', order_id, account_id, seat_no, no from tickets where event_id = $1 and seat_no = 7`,
    )
    expect(await findings()).toEqual([
      { kind: 'SEAT_SOLD_TWICE', subject: event.seatId(7) },
      { kind: 'ORDER_WITHOUT_TICKET', subject: bought.id },
    ])
    await db.sql(`delete from tickets where id like '%x'`)
    await db.sql(
      'create unique index tickets_live_seat on tickets (event_id, seat_no) where voided_at is null',
    )
  })

  test('a hold that has lost a seat', async () => {
    await tamper(
      `update seats set status = 0, hold_id = null, held_until = null, revision = revision + 1
         where event_id = $1 and no = 2`,
    )
    await app.seatMap.rebuild(event.id)
    expect(await findings()).toEqual([{ kind: 'HOLD_PARTIAL', subject: held.id }])
  })

  test('a held seat without its hold', async () => {
    await tamper(
      `update seats set status = 1, hold_id = 'hld_none', held_until = now() + interval '1 hour', revision = 1
         where event_id = $1 and no = 9`,
    )
    await app.seatMap.rebuild(event.id)
    expect(await findings()).toEqual([{ kind: 'SEAT_WITHOUT_HOLD', subject: event.seatId(9) }])
  })

  test('an order whose amount differs from the sum of its items', async () => {
    await tamper(
      `update hold_items set price = price + 1 where event_id = $1 and hold_id = '${bought.holdId}'`,
    )
    expect(await findings()).toEqual([{ kind: 'ORDER_AMOUNT_DIFFERS', subject: bought.id }])
  })

  async function payForElevenMinutes() {
    await tamper(
      `update orders set state = 'PAYING', payment = 'NONE', money_due = null, payment_method = 'pm_card_visa',
           placed_at = now() - interval '11 minutes'
         where event_id = $1 and id = '${bought.id}'`,
      `delete from tickets where event_id = $1 and order_id = '${bought.id}'`,
      `update seats set status = 1, order_id = null, hold_id = '${bought.holdId}', held_until = now() + interval '1 hour'
         where event_id = $1 and no = 7`,
      `update holds set outcome = null, ended_at = null where event_id = $1 and id = '${bought.holdId}'`,
      `update seats set revision = revision + 1 where event_id = $1 and no = 7`,
    )
    await app.seatMap.rebuild(event.id)
  }

  test('an order that has been paying for over ten minutes', async () => {
    await payForElevenMinutes()
    expect(await findings()).toEqual([{ kind: 'ORDER_STUCK', subject: bought.id }])
  })

  test('an order whose buyer did not approve in time, and not while the buyer has time left', async () => {
    await payForElevenMinutes()
    const oldestAge = async () => (await readPaying(db)).oldestSeconds
    const others = `update orders set placed_at = now() where event_id <> $1 and state = 'PAYING'`
    await tamper(others, `update orders set next_action = '{}' where event_id = $1 and id = '${bought.id}'`)
    expect(await findings()).toEqual([])
    expect(await oldestAge()).toBeLessThan(600)
    await tamper(
      others,
      `update orders set pay_until = now() - interval '3 minutes' where event_id = $1 and id = '${bought.id}'`,
    )
    expect(await findings()).toEqual([{ kind: 'ORDER_STUCK', subject: bought.id }])
    expect(await oldestAge()).toBeGreaterThan(600)
  })

  test('a confirmed order whose money did not follow within ten minutes', async () => {
    await tamper(
      `update orders set changed_at = now() - interval '11 minutes' where event_id = $1 and id = '${bought.id}'`,
    )
    expect(await findings()).toEqual([{ kind: 'CONFIRMED_NOT_CAPTURED', subject: bought.id }])
  })

  test.each(['authorized', 'cancelled'])(
    'an order that is captured here and %s at the provider',
    async (state) => {
      await tamper(
        `update sandbox_payments set state = '${state}', captured = 0 where order_id = '${captured.id}' and $1 <> ''`,
      )
      expect(await findings()).toEqual([{ kind: 'CONFIRMED_NOT_CAPTURED', subject: captured.id }])
    },
  )

  test('a captured order without a payment at the provider', async () => {
    await tamper(`delete from sandbox_payments where order_id = '${captured.id}' and $1 <> ''`)
    expect(await findings()).toEqual([{ kind: 'CONFIRMED_NOT_CAPTURED', subject: captured.id }])
  })

  test('a capture of another amount', async () => {
    await tamper(
      `update sandbox_payments set captured = captured - 1 where order_id = '${captured.id}' and $1 <> ''`,
    )
    expect(await findings()).toEqual([{ kind: 'CAPTURED_AMOUNT_DIFFERS', subject: captured.id }])
  })

  test('a capture, and an authorization, of orders that do not exist', async () => {
    const [one, two] = ['1', '2'].map((n) => `ord_${event.id.slice(4)}_${n}`)
    await db.sql(
      `insert into sandbox_payments
           (intent_id, order_id, event_id, payment_method, amount, currency, state, captured, confirmed_at)
         values ('pi_1', $1, $3, 'x', 100, 'EUR', 'captured', 100, now()),
           ('pi_2', $2, $3, 'x', 100, 'EUR', 'authorized', 0, now())`,
      [one, two, event.id],
    )
    expect(await findings()).toEqual([
      { kind: 'CAPTURE_WITHOUT_ORDER', subject: one },
      { kind: 'VOID_MISSING', subject: two },
    ])
  })

  test('an authorization that was not voided after its order was cancelled', async () => {
    await tamper(
      `update orders set state = 'CANCELLED', money_due = 'CANCEL', changed_at = now() - interval '11 minutes'
         where event_id = $1 and id = '${bought.id}'`,
      `update tickets set voided_at = now() where event_id = $1 and order_id = '${bought.id}'`,
      `update seats set status = 0, order_id = null, revision = revision + 1 where event_id = $1 and no = 7`,
    )
    await app.seatMap.rebuild(event.id)
    expect(await findings()).toEqual([{ kind: 'VOID_MISSING', subject: bought.id }])
  })

  test('a map that differs, in a seated section and in general admission', async () => {
    await app.seatMap.rebuild(event.id)
    await tamper(
      // The seats change and their revisions do not: no rebuild can see it.
      `update seats set status = 3 where event_id = $1 and no in (15, 16)`,
      `update seats set status = 3 where event_id = $1 and no = 25`,
    )
    expect(await findings()).toEqual([
      { kind: 'MAP_DIFFERS', subject: event.sectionId(1) },
      { kind: 'MAP_DIFFERS', subject: event.sectionId(2) },
    ])
  })

  test('orders of a provider that is not configured any more, and compares the other orders all the same', async () => {
    await tamper(
      `update orders set provider = 'gone' where event_id = $1 and id = '${captured.id}'`,
      `update sandbox_payments set state = 'cancelled' where event_id = $1 and order_id = '${bought.id}'`,
    )
    const { findings } = await reconciliation.of(event.id)
    expect(findings.map(({ kind, subject }) => ({ kind, subject }))).toEqual([
      // The card network has a payment that is no order's of its own.
      { kind: 'CAPTURE_WITHOUT_ORDER', subject: captured.id },
      { kind: 'CONFIRMED_NOT_CAPTURED', subject: bought.id },
      { kind: 'PAYMENTS_NOT_READ', subject: event.id },
    ])
    expect(findings.at(-1)?.detail).toContain('the payment provider gone is not configured')
  })

  test('a map and a provider that cannot be read', async () => {
    const all = app.payments.all.map((provider) => ({
      ...provider,
      // biome-ignore lint/correctness/useYield: it is out of order
      async *list() {
        throw new Error('out of order')
      },
    }))
    const broken = createReconciliation({
      ...app,
      log: pino({ enabled: false }),
      payments: { all, of: () => all[0] as (typeof all)[0] },
    })
    await redis.kill()
    const { ok, findings, sold } = await broken.of(event.id)
    expect({ ok, sold }).toEqual({ ok: false, sold: 3 })
    expect(findings.map(({ kind }) => kind).sort()).toEqual(['MAP_NOT_READ', 'PAYMENTS_NOT_READ'])
    await redis.restart('kept')
    await until(() => app.redis.ping().catch(() => false), 'Redis')
  })
})

test('a sale under load adds up at every moment', async () => {
  let on = true
  const crowd = Array.from({ length: 6 }, async (_, fan) => {
    for (let i = 0; on; i++) {
      const seatNo = 8 + ((fan * 2 + i) % 13)
      const account = testAccount()
      const taken = await hold([seatNo], account)
      if (!('expiresAt' in taken)) continue
      if (i % 3 === 0) await app.holds.release(account, taken.id)
      else if (i % 3 === 1) {
        const input = { holdId: taken.id, paymentMethod: 'pm_card_visa', idempotencyKey: randomUUID() }
        const order = (await app.checkout.checkout(account, input)) as OrderView
        await app.checkout.capture(order.id)
        // Without cancellations the event would soon be sold out: undo the order as after a refused capture.
        await db.sql(`update orders set payment = 'AUTHORIZED', money_due = 'CAPTURE' where id = $1`, [
          order.id,
        ])
        await db.sql('select * from cancel_order($1, $2)', [event.id, order.id])
        await app.checkout.cancelPayment(order.id)
        await app.checkout.refundPayment(`rfd${order.id.slice(3)}`)
      } else await app.holds.release(account, taken.id)
    }
  })
  const results = []
  for (let i = 0; i < 5; i++) results.push(await reconciliation.of(event.id))
  on = false
  await Promise.all(crowd)
  expect(results.flatMap(({ findings }) => findings)).toEqual([])
  for (const { capacity, available, held, sold, notForSale, tickets } of results) {
    expect(available + held + sold + notForSale).toBe(capacity)
    expect(tickets).toBe(sold)
  }
})

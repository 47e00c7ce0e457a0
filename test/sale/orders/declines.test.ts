import { afterEach, expect, test } from 'vitest'
import type { HoldView } from '../../../src/sale/holds/holds.ts'
import { PaymentDeclined } from '../../../src/sale/refusals.ts'
import { runOut, testAccount, testCheckout, workOutbox } from '../../support/checkout.ts'
import { testDatabase } from '../../support/database.ts'
import { insertEvent, type TestEvent, type TestEventOptions } from '../../support/event.ts'
import { ask, isHold, sideBySide } from '../../support/holds.ts'
import { expectInvariants } from '../../support/invariants.ts'
import { losingReply } from '../../support/losingReply.ts'
import { seededRandom } from '../../support/random.ts'

/*
 * A hold lasts while its order is PAYING. A declined card gives that time back: otherwise a card that is known to be declined
 * would keep seats for longer.
 */

const database = await testDatabase({ connections: 20 })
const sale = testCheckout(database)

const events: TestEvent[] = []
afterEach(async () => {
  await workOutbox(database, sale)
  for (const { id } of events.splice(0)) await expectInvariants(database, id)
})

async function fixture(options?: TestEventOptions) {
  const event = await insertEvent(database, options)
  events.push(event)
  const account = testAccount()
  return { event, account, hold: await sale.hold(account, event, [1, 2]) }
}

const MINUTE = 60_000
const DECLINED = 'pm_card_declined'

const endOf = async ({ id }: HoldView): Promise<Date> => {
  const [row] = await database.sql<{ end: Date }>('select expires_at as end from holds where id = $1', [id])
  return row?.end as Date
}
const clock = async (): Promise<number> => {
  const [row] = await database.sql<{ now: Date }>('select clock_timestamp() as now')
  return row?.now.getTime() ?? 0
}

test('a declined card leaves a minute where the hold had less, and a second declined card leaves nothing more', async () => {
  const { account, hold } = await fixture()
  await runOut(database, hold, -20)
  const before = await clock()
  await sale.pay(account, hold, DECLINED)
  const end = (await endOf(hold)).getTime()
  expect(end).toBeGreaterThanOrEqual(before + MINUTE - 1)
  expect(end).toBeLessThanOrEqual((await clock()) + MINUTE)
  await sale.pay(account, hold, DECLINED)
  expect((await endOf(hold)).getTime()).toBe(end)
  expect(await sale.pay(account, hold)).toMatchObject({ state: 'CONFIRMED' })
})

test('a declined card leaves a minute of a hold that had run out, while no other fan took its seats', async () => {
  const { account, hold } = await fixture()
  await runOut(database, hold)
  const before = await clock()
  await sale.pay(account, hold, DECLINED)
  const end = (await endOf(hold)).getTime()
  expect(end).toBeGreaterThanOrEqual(before + MINUTE - 1)
  expect(end).toBeLessThanOrEqual((await clock()) + MINUTE)
})

test.each([
  ['with the hold, where the hold had extended it', 60, 'hold'],
  ['at its own time, where that is later than the end of the hold', 630, 'own'],
])('after a declined card the admission ends %s', async (_, admissionSeconds, expected) => {
  const { event, account, hold } = await fixture({ admissionSeconds, holdSeconds: 400 })
  const [admission] = await database.sql<{ end: Date }>(
    `insert into admissions (event_id, account_id, arrival, place, device, expires_at)
     values ($1, $2, 1, 1, '\\x00', now() + make_interval(secs => $3)) returning expires_at as end`,
    [event.id, account.id, admissionSeconds],
  )
  await sale.pay(account, hold, DECLINED)
  const [after] = await database.sql<{ end: Date }>(
    'select expires_at as end from admissions where event_id = $1',
    [event.id],
  )
  expect(after?.end).toEqual(expected === 'hold' ? hold.expiresAt : admission?.end)
})

test('a decline whose reply is lost after its commit changes the hold once, and the retry gets the decline', async () => {
  const { account, hold } = await fixture()
  const unlucky = testCheckout(losingReply(database, 'decline_order'), { patienceMs: 500 })
  expect(await unlucky.pay(account, hold, DECLINED, 'the key')).toBeInstanceOf(PaymentDeclined)
  expect(await sale.pay(account, hold, DECLINED, 'the key')).toBeInstanceOf(PaymentDeclined)
  expect(await endOf(hold)).toEqual(hold.expiresAt)
  const seats = await database.sql('select revision from seats where hold_id = $1', [hold.id])
  expect(seats).toEqual([{ revision: 3 }, { revision: 3 }])
})

test('declines, second cards, sweeps and other fans at the same time leave each seat with one owner', async () => {
  const random = seededRandom()
  const event = await insertEvent(database, { sections: [{ seats: 12 }], holdSeconds: 600 })
  events.push(event)
  await sideBySide(120, 12, async () => {
    const account = testAccount()
    const first = 1 + 2 * Math.floor(random() * 6)
    const hold = await ask(sale.holds, account, event, [first, first + 1])
    if (!isHold(hold)) return sale.holds.sweep(event.id)
    if (random() < 0.5) await runOut(database, hold, random() < 0.5 ? 1 : -1)
    await sale.pay(account, hold, DECLINED)
    if (random() < 0.5) await runOut(database, hold)
    else if (random() < 0.3) await sale.pay(account, hold)
    else await sale.holds.release(account, hold.id)
    return 0
  })
  // No hold keeps the time of a payment that was declined.
  expect(
    await database.sql(
      `select h.id from holds h join orders o on o.event_id = h.event_id and o.hold_id = h.id and o.state = 'DECLINED'
       where h.event_id = $1 and h.unpaid_until is not null and h.outcome is null`,
      [event.id],
    ),
  ).toEqual([])
})

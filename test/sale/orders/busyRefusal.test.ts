import { describe, expect, test } from 'vitest'
import { channels } from '../../../src/redis/keys.ts'
import type { HoldView } from '../../../src/sale/holds/holds.ts'
import { createBusyRefusal } from '../../../src/sale/orders/busyRefusal.ts'
import { CheckoutBusy, SeatsTaken } from '../../../src/sale/refusals.ts'
import { extendRefusedHold } from '../../../src/sql/holds/refusedHolds.ts'
import { runOut, testAccount, testCheckout } from '../../support/checkout.ts'
import { testDatabase } from '../../support/database.ts'
import { insertEvent } from '../../support/event.ts'
import { expectInvariants } from '../../support/invariants.ts'

const db = await testDatabase()
let isOut = false
/** Its provider is out at times: no permit within the second for which a checkout waits. */
const sale = testCheckout(db, { takePermit: async () => (isOut ? 4_000 : 0) })

async function fixture({ secondsLeft = 600 } = {}) {
  const event = await insertEvent(db)
  const ana = testAccount()
  const hold = await sale.hold(ana, event, [1, 2])
  await runOut(db, hold, -secondsLeft)
  const now = async () => (await sale.holds.find(ana, hold.id)) as HoldView
  return {
    event,
    ana,
    hold: await now(),
    now,
    refused: { eventId: event.id, holdId: hold.id, accountId: ana.id },
  }
}

/** As if so many seconds had passed: the hold's times are that much earlier. */
const letPass = (hold: HoldView, seconds: number) =>
  db.sql(
    `with h as (
       update holds set expires_at = expires_at - s, outage_until = outage_until - s, created_at = created_at - s
       from make_interval(secs => $3) s where event_id = $1 and id = $2 returning event_id, id, expires_at)
     update seats x set held_until = h.expires_at from h where x.event_id = h.event_id and x.hold_id = h.id`,
    [hold.eventId, hold.id, seconds],
  )
const secondsBetween = (a: HoldView, b: HoldView) => (b.expiresAt.getTime() - a.expiresAt.getTime()) / 1_000
const secondsLeft = ({ expiresAt, asOf }: HoldView) => (expiresAt.getTime() - asOf.getTime()) / 1_000

test('while the provider is out the hold of a refused fan does not end, no other fan gets the seats, and the fan buys them when it is back', async () => {
  const { event, ana, hold, now } = await fixture({ secondsLeft: 8 })
  const ben = testAccount()
  const benTries = () =>
    sale.holds.hold(
      { account: ben, deviceId: null, admissionToken: null },
      { eventId: event.id, seats: [event.seatId(1)], idempotencyKey: sale.key() },
    )
  isOut = true
  sale.mapChanges.length = sale.published.length = 0
  const busy = (await sale.pay(ana, hold)) as CheckoutBusy
  expect(busy).toBeInstanceOf(CheckoutBusy)
  const extended = await now()
  expect(sale.published).toEqual([channels.hold(event.id, hold.id)])
  expect(sale.mapChanges).toEqual(
    [1, 2].map((seatNo) => ({ eventId: event.id, seatNo, status: 1, revision: 2 })),
  )
  const seats = await db.sql('select held_until from seats where hold_id = $1', [hold.id])
  expect(seats).toEqual([1, 2].map(() => ({ held_until: extended.expiresAt })))

  // Two minutes of outage, with a retry each time that the answer asks for one. Without them the hold would have ended.
  for (let seconds = 0; seconds < 120; seconds += busy.retryAfterSeconds as number) {
    await letPass(hold, busy.retryAfterSeconds as number)
    expect((await now()).state).toBe('ACTIVE')
    expect(await sale.pay(ana, hold)).toBeInstanceOf(CheckoutBusy)
    expect(await benTries()).toBeInstanceOf(SeatsTaken)
  }
  isOut = false
  expect(await sale.pay(ana, hold)).toMatchObject({ state: 'CONFIRMED' })
  expect(await benTries()).toBeInstanceOf(SeatsTaken)
  await expectInvariants(db, event.id)
})

test('a fan who retries as asked keeps the time that they had at the first refusal', async () => {
  const { refused, hold, now } = await fixture({ secondsLeft: 200 })
  for (let i = 0; i < 10; i++) {
    await extendRefusedHold(db, refused, 10)
    await letPass(hold, 10)
  }
  expect(secondsLeft(await now())).toBeGreaterThan(195)
  expect(secondsLeft(await now())).toBeLessThanOrEqual(205)
})

test('many refusals at the same time add one wait, and so does a reply that was lost', async () => {
  const { refused, hold, now } = await fixture()
  await Promise.all(Array.from({ length: 12 }, () => extendRefusedHold(db, refused, 20)))
  await extendRefusedHold(db, refused, 20)
  expect(secondsBetween(hold, await now())).toBeGreaterThanOrEqual(20)
  expect(secondsBetween(hold, await now())).toBeLessThan(22)
})

test('all refusals add ten minutes to a hold at most, and none makes it shorter', async () => {
  const { event, refused, hold, now } = await fixture()
  let before = hold
  for (const seconds of [300, 30, 200, 200, 5, 100]) {
    await extendRefusedHold(db, refused, seconds)
    const after = await now()
    expect(secondsBetween(before, after)).toBeGreaterThanOrEqual(0)
    before = after
    await db.sql('update holds set outage_until = now() where event_id = $1', [event.id])
  }
  expect(secondsBetween(hold, before)).toBeGreaterThan(599)
  expect(secondsBetween(hold, before)).toBeLessThanOrEqual(600)
  await expectInvariants(db, event.id)
})

test('the admission follows the hold', async () => {
  const { event, refused, now } = await fixture()
  await db.sql(
    `insert into admissions (event_id, account_id, arrival, place, device, expires_at)
     values ($1, $2, 1, 1, '\\x00', now() + interval '1 minute')`,
    [event.id, refused.accountId],
  )
  await extendRefusedHold(db, refused, 20)
  const rows = await db.sql('select expires_at from admissions where event_id = $1', [event.id])
  expect(rows).toEqual([{ expires_at: (await now()).expiresAt }])
})

test('a refusal while another payment of the hold waits extends the hold’s own time, and not that of the payment', async () => {
  const { ana, hold, now } = await fixture({ secondsLeft: 200 })
  await sale.pay(ana, hold, 'pm_needs_action')
  const paying = await now()
  const silent = testCheckout(db, {
    wrap: (real) => ({ ...real, retrieve: () => Promise.reject(new Error('out of order')) }),
  })
  const busy = (await silent.pay(ana, hold)) as CheckoutBusy
  expect(busy).toBeInstanceOf(CheckoutBusy)
  expect(secondsBetween(paying, await now())).toBe(0)
  // The second payment ends the first one, and is declined: the hold has its own end again.
  await sale.pay(ana, hold, 'pm_card_declined')
  expect(secondsBetween(hold, await now())).toBeCloseTo(busy.retryAfterSeconds as number, 0)
})

describe('a hold is not extended', () => {
  const refuse = createBusyRefusal({ db, publish: sale.publish, seatMap: { publish: () => {} } })

  test('where it has run out', async () => {
    const { refused, hold, now } = await fixture({ secondsLeft: -1 })
    expect(await refuse(refused, 20)).toBeInstanceOf(CheckoutBusy)
    expect(await now()).toMatchObject({ state: 'EXPIRED', expiresAt: hold.expiresAt })
  })

  test('where it was released', async () => {
    const { ana, refused, hold, now } = await fixture()
    await sale.holds.release(ana, hold.id)
    await refuse(refused, 20)
    expect(await now()).toMatchObject({ state: 'RELEASED', expiresAt: hold.expiresAt })
  })

  test('for another account', async () => {
    const { refused, hold, now } = await fixture()
    await refuse({ ...refused, accountId: testAccount().id }, 20)
    expect(await now()).toMatchObject({ expiresAt: hold.expiresAt })
  })

  test('where the account was declined too often', async () => {
    const { event, ana, hold, now } = await fixture()
    for (let i = 0; i < 5; i++) await sale.pay(ana, hold, 'pm_card_declined')
    const before = await now()
    expect(await sale.pay(ana, hold)).toBeInstanceOf(CheckoutBusy)
    expect(await now()).toMatchObject({ expiresAt: before.expiresAt })
    await expectInvariants(db, event.id)
  })
})

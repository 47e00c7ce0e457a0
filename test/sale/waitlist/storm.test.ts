import { expect, test } from 'vitest'
import type { Account } from '../../../src/sale/caller.ts'
import type { HoldView } from '../../../src/sale/holds/holds.ts'
import { cancelOrder } from '../../../src/sql/orders/orderTransitions.ts'
import { runOut, testAccount, testCheckout } from '../../support/checkout.ts'
import { ask, askFor, isHold, sideBySide } from '../../support/holds.ts'
import { seededRandom } from '../../support/random.ts'
import { sellOut, testWaitlist, waitlistScene } from '../../support/waitlist.ts'

const { database, newEvent } = await waitlistScene()

test('offers, holds, joins, sales and returns at the same time leave every seat and every entry as the rules say', async () => {
  const processes = [database.another(), database.another()].map((db) => ({
    sale: testCheckout(db),
    waitlist: testWaitlist(db),
    db,
  }))
  const of = (i: number) => processes[i % 2] as (typeof processes)[0]
  const event = await newEvent({ sections: [{ seats: 20 }, { places: 20 }], ticketLimit: 4 })
  await database.sql(
    `update seats set wheelchair = no in (1, 11), companion_of = case no when 2 then 1 when 12 then 11 end where event_id = $1`,
    [event.id],
  )
  const orders = await sellOut(testCheckout(database), event, testAccount, 2)
  const random = seededRandom()
  const fans = Array.from({ length: 60 }, testAccount)
  let [back, tried, held, sideBySideMost] = [0, 0, 0, 0]

  const keep = (id: string, { items }: HoldView) =>
    orders.push({ id, seatNos: items.map(({ seatNo }) => seatNo) })

  /** Tries an ordinary hold, which may succeed only for seats that went on sale. */
  async function tryHold(i: number) {
    tried++
    const account = testAccount()
    const generalAdmission = { sectionId: event.sectionId(2), quantity: 1 }
    const hold = await (random() < 0.2
      ? // Not a companion seat alone: this plan's layout does not show it as one.
        ask(of(i).sale.holds, account, event, [13 + Math.floor(random() * 8)])
      : askFor(
          of(i).sale.holds,
          account,
          event,
          random() < 0.5 ? { bestAvailable: { quantity: 1 } } : { generalAdmission },
        ))
    if (!isHold(hold)) return
    held++
    const dice = random()
    if (dice < 0.2) await of(i).sale.holds.release(account, hold.id)
    else if (dice < 0.4) await runOut(database, hold, 0)
    else {
      // The sale keeps the event close to sold out.
      const order = await of(i).sale.pay(account, hold)
      if ('state' in order && order.state === 'CONFIRMED') keep(order.id, hold)
    }
  }
  async function takeOffer(i: number) {
    const live = await database.sql<{ id: string; account_id: string; hold_id: string }>(
      "select id, account_id, hold_id from waitlist_entries where event_id = $1 and state = 'OFFERED'",
      [event.id],
    )
    const offered = live[Math.floor(random() * live.length)]
    if (!offered) return
    sideBySideMost = Math.max(sideBySideMost, live.length)
    const fan = fans.find(({ id }) => id === offered.account_id) as Account
    const hold = await of(i).sale.holds.find(fan, offered.hold_id)
    if (hold?.state !== 'ACTIVE') return
    const dice = random()
    if (dice < 0.4) {
      const order = await of(i).sale.pay(fan, hold)
      if ('state' in order && order.state === 'CONFIRMED') keep(order.id, hold)
    } else if (dice < 0.6) await of(i).sale.holds.release(fan, hold.id)
    else if (dice < 0.8) await of(i).waitlist.leave(fan, offered.id)
    else {
      await runOut(database, hold)
      await of(i).sale.holds.sweep(event.id)
    }
  }
  async function join(i: number) {
    const fan = fans[Math.floor(random() * fans.length)] as Account
    const wheelchairSeats = random() < 0.15 ? 1 : 0
    await of(i).waitlist.join(fan, {
      eventId: event.id,
      quantity: wheelchairSeats ? 2 : 3 + Math.floor(random() * 2),
      sectionId: random() < 0.3 ? event.sectionId(wheelchairSeats || 1 + Math.floor(random() * 2)) : null,
      orElse: random() < 0.2 ? [{ sectionId: event.sectionId(1) }] : [],
      together: random() < 0.3 ? true : null,
      wheelchairSeats,
      acceptFewer: random() < 0.03,
    })
  }
  async function comeBack(i: number) {
    const order = orders.splice(Math.floor(random() * orders.length), 1)[0]
    if (order && (await cancelOrder(of(i).db, event.id, order.id)).cancelled) back++
  }
  const acts = [tryHold, tryHold, tryHold, tryHold, tryHold, takeOffer, takeOffer, takeOffer, join, comeBack]
  for (let i = 0; i < 10; i++) await join(i)
  const act = () =>
    sideBySide(1_000, 16, async (i) => {
      await (acts[Math.floor(random() * acts.length)] as (typeof acts)[0])(i)
      if (i % 3 === 0) await of(i).waitlist.offer(event.id)
      if (i % 20 === 0) await of(i).sale.holds.sweep(event.id)
    })
  async function readOffers() {
    const offered = await database.sql(
      'select state from waitlist_entries where event_id = $1 and hold_id is not null',
      [event.id],
    )
    return { offered: offered.length, bought: offered.filter(({ state }) => state === 'FULFILLED').length }
  }
  // Almost every run reaches this in its first thousand acts.
  let offers = { offered: 0, bought: 0 }
  for (let n = 0; n < 5 && (tried <= 300 || offers.offered <= 5 || offers.bought === 0); n++) {
    await act()
    offers = await readOffers()
  }
  console.log(
    `${back} orders came back: ${offers.offered} offers, ${sideBySideMost} at a time, ${offers.bought} bought, ${held} of ${tried} ordinary holds succeeded`,
  )
  // An ordinary hold succeeds where seats fit no waiting entry; in some runs none does.
  expect(tried).toBeGreaterThan(300)
  expect(offers.offered).toBeGreaterThan(5)
  expect(offers.bought).toBeGreaterThan(0)
})

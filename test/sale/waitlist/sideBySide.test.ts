import { expect, test } from 'vitest'
import type { Account } from '../../../src/sale/caller.ts'
import type { HoldView } from '../../../src/sale/holds/holds.ts'
import { newId } from '../../../src/sale/ids.ts'
import { runOut, testAccount } from '../../support/checkout.ts'
import { askFor, isHold } from '../../support/holds.ts'
import { expectInvariants } from '../../support/invariants.ts'
import { seededRandom } from '../../support/random.ts'
import { sellOut, waitlistScene } from '../../support/waitlist.ts'

const { database, sale, waitlist, newEvent, soldOut, stateOf, offerOf, isWaitlistOnly } =
  await waitlistScene()

/** Begins an order for a hold whose provider never answers. */
async function payForEver(hold: HoldView, account: Account) {
  const id = newId('ord', hold.eventId)
  await database.sql(
    `insert into orders (event_id, id, hold_id, account_id, idempotency_key, input_hash, amount, currency, state, payment, provider)
     select event_id, $2, id, account_id, $2, 'hash', amount, currency, 'PAYING', 'NONE', 'sandbox' from holds where id = $1 and account_id = $3`,
    [hold.id, id, account.id],
  )
}

test('seats that come back are offered to every fan whom they fit at the same time, in the order of joining', async () => {
  const { event, cancel } = await soldOut({}, 2)
  const fans = [2, 3, 1, 2, 1, 1].map((quantity) => ({ quantity, account: testAccount() }))
  const entries: string[] = []
  for (const { account, quantity } of fans)
    entries.push((await waitlist.joined(account, event, { quantity })).id)
  await cancel(0)
  await cancel(1)
  await waitlist.offer(event.id)
  const states = () => Promise.all(entries.map((id, i) => stateOf((fans[i] as (typeof fans)[0]).account, id)))
  // Two for the first fan; the next one wants three; one each for the third and the fifth.
  expect(await states()).toEqual(['OFFERED', 'WAITING', 'OFFERED', 'WAITING', 'OFFERED', 'WAITING'])
  expect(await isWaitlistOnly(event)).toBe(true)
  await cancel(2)
  await waitlist.offer(event.id)
  expect(await states()).toEqual(['OFFERED', 'WAITING', 'OFFERED', 'OFFERED', 'OFFERED', 'WAITING'])
})

test('an order that is paying for ever stops no other offer, and not the sale of seats that fit no entry', async () => {
  const { event, cancel } = await soldOut({}, 2)
  const [ana, bob, eve] = [testAccount(), testAccount(), testAccount()]
  const a = await waitlist.joined(ana, event)
  const b = await waitlist.joined(bob, event, { quantity: 2 })
  await waitlist.joined(testAccount(), event, { quantity: 4 })
  await cancel(0)
  await waitlist.offer(event.id)
  await payForEver(await offerOf(ana, a.id), ana)
  await cancel(1)
  await waitlist.offer(event.id)
  expect([await stateOf(ana, a.id), await stateOf(bob, b.id)]).toEqual(['OFFERED', 'OFFERED'])
  expect(await waitlist.leave(ana, a.id)).toMatchObject({ state: 'OFFERED' })
  expect(await isWaitlistOnly(event)).toBe(false)
  expect(await sale.pay(bob, await offerOf(bob, b.id))).toMatchObject({ state: 'CONFIRMED' })
  expect(isHold(await askFor(sale.holds, eve, event, { bestAvailable: { quantity: 1 } }))).toBe(true)
})

test('forty fans wait, seats come back in bursts and one order pays for ever: every offer goes to the first that it fits', async () => {
  const event = await newEvent({ sections: [{ seats: 40 }], ticketLimit: 6 })
  const orders = await sellOut(sale, event, testAccount, 2)
  const random = seededRandom()
  const fans = new Map<string, Account>()
  for (let i = 0; i < 40; i++) {
    const account = testAccount()
    const entry = await waitlist.joined(account, event, {
      quantity: 1 + Math.floor(random() * 4),
      acceptFewer: random() < 0.2,
      together: random() < 0.2 ? true : null,
    })
    fans.set(entry.id, account)
  }
  const entriesIn = async (state: string) =>
    database.sql<{ id: string; quantity: number; together: boolean | null; accept_fewer: boolean }>(
      'select id, quantity, together, accept_fewer from waitlist_entries where event_id = $1 and state = $2 order by no',
      [event.id, state],
    )
  let paying: string | undefined
  let most = 0
  while ((await entriesIn('WAITING')).length > 0 && orders.length > 0) {
    const burst = orders.splice(0, 1 + Math.floor(random() * 6))
    await Promise.all(
      burst.map(({ id }) => database.sql('select cancelled from cancel_order($1, $2)', [event.id, id])),
    )
    // Several workers at once.
    await Promise.all([0, 1, 2].map(() => waitlist.offer(event.id)))
    const offered = await entriesIn('OFFERED')
    most = Math.max(most, offered.length)
    // Nothing that is free fits a fan who still waits; those who take seats apart are easy to check.
    const [{ free } = { free: 0 }] = await database.sql<{ free: number }>(
      'select count(*)::int as free from seats where event_id = $1 and is_free(status, held_until)',
      [event.id],
    )
    for (const { quantity, together, accept_fewer } of await entriesIn('WAITING'))
      if (!together) expect(accept_fewer ? 1 : quantity).toBeGreaterThan(free)
    await expectInvariants(database, event.id)

    const [first, ...others] = offered
    if (!paying && first) {
      paying = first.id
      const account = fans.get(first.id) as Account
      await payForEver(await offerOf(account, first.id), account)
    }
    for (const { id } of paying === first?.id ? others : offered) {
      if (id === paying) continue
      const account = fans.get(id) as Account
      const offer = await offerOf(account, id)
      if (random() < 0.6) {
        const order = (await sale.pay(account, offer)) as { id: string }
        orders.push({ id: order.id, seatNos: offer.items.map(({ seatNo }) => seatNo) })
      } else if (random() < 0.5) await sale.holds.release(account, offer.id)
      else await runOut(database, offer)
    }
    await sale.holds.sweep(event.id)
  }
  expect((await entriesIn('OFFERED')).map(({ id }) => id)).toContain(paying)
  expect(most).toBeGreaterThan(1)
  expect(await entriesIn('WAITING')).toEqual([])
})

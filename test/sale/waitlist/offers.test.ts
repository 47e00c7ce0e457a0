import { describe, expect, test } from 'vitest'
import type { Account } from '../../../src/sale/caller.ts'
import { NotEnoughAvailable, NotSoldOut, SeatsTaken } from '../../../src/sale/refusals.ts'
import { opsAccount, runOut, testAccount } from '../../support/checkout.ts'
import { ask, askFor, isHold } from '../../support/holds.ts'
import { pidOf, untilBlockedBy } from '../../support/locks.ts'
import { waitlistScene } from '../../support/waitlist.ts'

const scene = await waitlistScene()
const { database, sale, waitlist, blocks, newEvent, soldOut } = scene
const { stateOf, offerOf, reasonOf, isWaitlistOnly, insertEntries } = scene

describe('seats that come back', () => {
  test('are offered to the first entry, and no other fan can hold them until every entry has had an offer', async () => {
    const { event, cancel } = await soldOut({}, 2)
    const [ana, bob, eve] = [testAccount(), testAccount(), testAccount()]
    const a = await waitlist.joined(ana, event, { quantity: 2 })
    const b = await waitlist.joined(bob, event, { quantity: 2 })
    waitlist.mapChanges.length = 0
    await cancel(0)
    // No other fan can hold them between the cancellation and the offer either.
    expect(await ask(sale.holds, eve, event, [1])).toMatchObject({ saleState: 'SOLD_OUT' })
    await waitlist.offer(event.id)
    const offer = await offerOf(ana, a.id)
    expect(offer).toMatchObject({ state: 'ACTIVE', items: [{ seatNo: 1 }, { seatNo: 2 }] })
    expect(await waitlist.find(ana, a.id)).toMatchObject({ state: 'OFFERED', position: null })
    expect(await waitlist.find(bob, b.id)).toMatchObject({ state: 'WAITING', position: 1 })
    expect(waitlist.mapChanges.filter(({ status }) => status === 1).map(({ seatNo }) => seatNo)).toEqual([
      1, 2,
    ])

    await runOut(database, offer)
    expect(await ask(sale.holds, eve, event, [1, 2])).toMatchObject({ saleState: 'SOLD_OUT' })
    await sale.holds.sweep(event.id)
    expect(await stateOf(ana, a.id)).toBe('LAPSED')
    await waitlist.offer(event.id)
    expect(await stateOf(bob, b.id)).toBe('OFFERED')
    await cancel(1)
    expect(await ask(sale.holds, eve, event, [3, 4])).toMatchObject({ saleState: 'SOLD_OUT' })
    expect(await sale.pay(bob, await offerOf(bob, b.id))).toMatchObject({ state: 'CONFIRMED' })
    expect(await stateOf(bob, b.id)).toBe('FULFILLED')

    // No entry waits any more, so every fan can hold the seats that are left.
    await waitlist.offer(event.id)
    expect(await isWaitlistOnly(event)).toBe(false)
    expect(await waitlist.join(ana, { eventId: event.id, quantity: 1 })).toBeInstanceOf(NotSoldOut)
    expect(isHold(await askFor(sale.holds, eve, event, { bestAvailable: { quantity: 2 } }))).toBe(true)
    // A fan whose offer lapsed can join again, at the end, once their wish cannot be held.
    expect(await waitlist.joined(ana, event)).toMatchObject({ state: 'WAITING', position: 1 })
  })

  test('go to the next entry after a fan releases the offer, and that fan can join again at the end', async () => {
    const { event, cancel } = await soldOut({}, 2)
    const [ana, bob] = [testAccount(), testAccount()]
    const a = await waitlist.joined(ana, event)
    const b = await waitlist.joined(bob, event, { quantity: 2 })
    await cancel(2)
    await waitlist.offer(event.id)
    await sale.holds.release(ana, (await offerOf(ana, a.id)).id)
    const again = await waitlist.joined(ana, event)
    expect(again.id).not.toBe(a.id)
    expect(again).toMatchObject({ state: 'WAITING', position: 2 })
    await waitlist.offer(event.id)
    expect(await stateOf(ana, a.id)).toBe('LAPSED')
    expect(await stateOf(bob, b.id)).toBe('OFFERED')
  })

  test('go to the first entry that they fit, and each entry that is passed over has a reason', async () => {
    const { event, cancel } = await soldOut({ sections: [{ seats: 4 }, { seats: 4 }], ticketLimit: 4 }, 2)
    const fans = Array.from({ length: 5 }, testAccount)
    const inputs = [
      { quantity: 3 },
      { quantity: 1, sectionId: event.sectionId(2) },
      { quantity: 1, priceLevelId: `lvl_${event.id.slice(4)}_2` },
      { quantity: 4, acceptFewer: true },
      { quantity: 1 },
    ]
    const entries: string[] = []
    for (const [i, input] of inputs.entries()) {
      entries.push((await waitlist.joined(fans[i] as Account, event, input)).id)
    }
    expect(await waitlist.find(fans[4] as Account, entries[4] as string)).toMatchObject({ position: 5 })
    expect(await waitlist.find(fans[1] as Account, entries[1] as string)).toMatchObject({ position: 2 })
    await cancel(0)
    await waitlist.offer(event.id)
    expect(
      (await offerOf(fans[3] as Account, entries[3] as string)).items.map(({ seatNo }) => seatNo),
    ).toEqual([1, 2])
    expect(await Promise.all(entries.map(reasonOf))).toEqual([
      'TOO_FEW_BACK',
      'TOO_FEW_BACK',
      'TOO_FEW_BACK',
      null,
      null,
    ])
  })

  test('go on sale where they fit no entry, and the next seats that come back are offered first', async () => {
    const { event, cancel } = await soldOut({}, 1)
    const ana = testAccount()
    const a = await waitlist.joined(ana, event, { quantity: 2 })
    await cancel(3)
    await waitlist.offer(event.id)
    expect(await isWaitlistOnly(event)).toBe(false)
    expect(await reasonOf(a.id)).toBe('TOO_FEW_BACK')
    // A call that brings no seat back does not close the sale.
    expect(await cancel(3)).toMatchObject({ cancelled: false })
    expect(
      await blocks.unblock(opsAccount(), {
        eventId: event.id,
        seats: [4, 5].map(event.seatId),
        reason: 'the camera',
      }),
    ).toMatchObject({ changed: [] })
    expect(await isWaitlistOnly(event)).toBe(false)
    const eve = testAccount()
    expect(await sale.pay(eve, await sale.hold(eve, event, [4]))).toMatchObject({ state: 'CONFIRMED' })
    expect(await stateOf(ana, a.id)).toBe('WAITING')

    // A seat that a fan releases or lets expire starts an offer at once: with it an entry that was passed over may fit.
    const nudges = async () => {
      const rows = await database.sql(
        "delete from outbox where job = 'offerWaitlist' and data->>'eventId' = $1 returning id",
        [event.id],
      )
      return rows.length
    }
    await cancel(0)
    await waitlist.offer(event.id)
    const given = await sale.hold(testAccount(), event, [1])
    expect(await isWaitlistOnly(event)).toBe(false)
    await nudges()
    await runOut(database, given)
    await sale.holds.sweep(event.id)
    expect(await nudges()).toBe(1)
    await waitlist.offer(event.id)
    const bob = testAccount()
    await sale.holds.release(bob, (await sale.hold(bob, event, [1])).id)
    expect(await nudges()).toBe(1)
    await waitlist.offer(event.id)

    // Two seats apart are better than none.
    await cancel(6)
    expect(await ask(sale.holds, eve, event, [1])).toMatchObject({ unavailable: [event.seatId(1)] })
    await waitlist.offer(event.id)
    expect((await offerOf(ana, a.id)).items.map(({ seatNo }) => seatNo)).toEqual([1, 7])
  })

  describe('that fit no entry, go to the entry that they fit together with seats that come back later', () => {
    /** Ana waits for two seats. Seat 1 fits no entry, goes on sale, and a fan holds it. Then seat 2 comes back. */
    async function heldByFan() {
      const { event, cancel } = await soldOut({}, 1)
      const ana = testAccount()
      const a = await waitlist.joined(ana, event, { quantity: 2 })
      await cancel(0)
      await waitlist.offer(event.id)
      const fan = testAccount()
      const hold = await sale.hold(fan, event, [1])
      await cancel(1)
      await waitlist.offer(event.id)
      expect(await isWaitlistOnly(event)).toBe(false)
      return { event, ana, a, fan, hold }
    }

    async function expectOffered({ event, ana, a }: Awaited<ReturnType<typeof heldByFan>>) {
      const two = { bestAvailable: { quantity: 2 } }
      expect(await askFor(sale.holds, testAccount(), event, two)).toBeInstanceOf(NotEnoughAvailable)
      expect(await ask(sale.holds, testAccount(), event, [1])).toMatchObject({
        unavailable: [event.seatId(1)],
      })
      await waitlist.offer(event.id)
      expect((await offerOf(ana, a.id)).items.map(({ seatNo }) => seatNo)).toEqual([1, 2])
    }

    test('after a release', async () => {
      const back = await heldByFan()
      await sale.holds.release(back.fan, back.hold.id)
      await expectOffered(back)
    })

    test('after the release of a hold that had expired', async () => {
      const back = await heldByFan()
      await runOut(database, back.hold)
      await sale.holds.release(back.fan, back.hold.id)
      await expectOffered(back)
    })

    test('after the sweeper', async () => {
      const back = await heldByFan()
      await runOut(database, back.hold, 0)
      await sale.holds.sweep(back.event.id)
      await expectOffered(back)
    })

    test('after the hold expires, before the sweeper runs', async () => {
      const back = await heldByFan()
      await runOut(database, back.hold, 0)
      await expectOffered(back)
    })

    test('after the hold expires, even where another fan requests that seat by name', async () => {
      const back = await heldByFan()
      await runOut(database, back.hold, 0)
      expect(await ask(sale.holds, testAccount(), back.event, [1])).toBeInstanceOf(SeatsTaken)
      await expectOffered(back)
    })

    test('or to any fan where they still fit no entry, even before the sweeper runs', async () => {
      const { event, ana, hold } = await heldByFan()
      await waitlist.leave(ana, (await waitlist.list(ana, event.id))[0]?.id as string)
      const bob = testAccount()
      await database.sql('update sales set waitlist_only = true where event_id = $1', [event.id])
      const b = await waitlist.joined(bob, event, { quantity: 3 })
      await waitlist.offer(event.id)
      await runOut(database, hold, 0)
      expect(await reasonOf(b.id)).toBe('TOO_FEW_BACK')
      expect(isHold(await ask(sale.holds, testAccount(), event, [1]))).toBe(true)
    })
  })

  test('are offered side by side where there is such a block', async () => {
    const { event, cancel } = await soldOut({}, 1)
    const ana = testAccount()
    const a = await waitlist.joined(ana, event, { quantity: 2 })
    for (const i of [0, 2, 5, 6]) await cancel(i)
    await waitlist.offer(event.id)
    expect((await offerOf(ana, a.id)).items.map(({ seatNo }) => seatNo)).toEqual([6, 7])
  })

  test('are offered from one area of general admission', async () => {
    const { event, cancel } = await soldOut({ sections: [{ places: 4 }, { places: 4 }] }, 2)
    const [ana, bob] = [testAccount(), testAccount()]
    const a = await waitlist.joined(ana, event, { quantity: 4 })
    const b = await waitlist.joined(bob, event, { quantity: 4, acceptFewer: true })
    await cancel(1)
    await cancel(2)
    await waitlist.offer(event.id)
    const { items } = await offerOf(bob, b.id)
    expect(items).toHaveLength(2)
    expect(new Set(items.map(({ levelNo }) => levelNo)).size).toBe(1)
    expect(await reasonOf(a.id)).toBe('TOO_FEW_BACK')
  })

  test('include unblocked seats; blocked seats are not offered', async () => {
    const event = await newEvent({ sections: [{ seats: 4 }] })
    const olga = testAccount()
    const request = { eventId: event.id, seats: [3, 4].map(event.seatId), reason: 'the camera' }
    await blocks.block(opsAccount(), request)
    await sale.pay(olga, await sale.hold(olga, event, [1, 2]))
    const ana = testAccount()
    const a = await waitlist.joined(ana, event, { quantity: 2 })
    await blocks.unblock(opsAccount(), request)
    expect(await ask(sale.holds, testAccount(), event, [3])).toMatchObject({ saleState: 'SOLD_OUT' })
    await waitlist.offer(event.id)
    expect(await stateOf(ana, a.id)).toBe('OFFERED')
  })

  test('pass over an account at its ticket limit, and are offered to it once it is below the limit', async () => {
    const { event, orders, cancel } = await soldOut({ ticketLimit: 2 }, 1)
    const [ana, bob] = [testAccount(), testAccount()]
    const a = await waitlist.joined(ana, event, { quantity: 2 })
    const b = await waitlist.joined(bob, event, { quantity: 2 })
    // She bought the ticket while the sale was open again for a while.
    const [ticket] = orders
    await database.sql('update orders set account_id = $2 where id = $1', [ticket?.id, ana.id])
    await database.sql('update tickets set account_id = $2 where order_id = $1', [ticket?.id, ana.id])
    await cancel(3)
    await cancel(4)
    await waitlist.offer(event.id)
    expect(await stateOf(ana, a.id)).toBe('WAITING')
    expect(await reasonOf(a.id)).toBe('TICKET_LIMIT')
    await waitlist.leave(bob, b.id)
    await cancel(0)
    await waitlist.offer(event.id)
    expect(await stateOf(ana, a.id)).toBe('OFFERED')
  })

  test('wait for an account that is buying its last ticket at this moment', async () => {
    const { event, orders, cancel } = await soldOut({ ticketLimit: 2 }, 1)
    const [ana, bob] = [testAccount(), testAccount()]
    const a = await waitlist.joined(ana, event, { quantity: 2 })
    const b = await waitlist.joined(bob, event, { quantity: 2 })
    await cancel(3)
    await cancel(4)
    const client = await database.pool.connect()
    let offering: Promise<void>
    try {
      const pid = await pidOf(client)
      await client.query('begin')
      await client.query('select pg_advisory_xact_lock(account_lock($1, $2))', [event.id, ana.id])
      await client.query('update orders set account_id = $2 where id = $1', [orders[0]?.id, ana.id])
      await client.query('update tickets set account_id = $2 where order_id = $1', [orders[0]?.id, ana.id])
      offering = waitlist.offer(event.id)
      await untilBlockedBy(database, pid)
      await client.query('commit')
    } finally {
      client.release()
    }
    await offering
    expect([await stateOf(ana, a.id), await reasonOf(a.id)]).toEqual(['WAITING', 'TICKET_LIMIT'])
    expect(await stateOf(bob, b.id)).toBe('OFFERED')
  })

  test('pass over 12,000 entries that want more, each with a reason, before the last entry gets its offer', async () => {
    const { event, cancel } = await soldOut({}, 1)
    await insertEntries(event, 12_000)
    const ana = testAccount()
    const a = await waitlist.joined(ana, event)
    expect(a.position).toBe(12_001)
    await cancel(2)
    await waitlist.offer(event.id)
    expect(await stateOf(ana, a.id)).toBe('OFFERED')
    const reasons = await database.sql(
      'select passed_over, count(*)::int from waitlist_entries where event_id = $1 group by 1 order by 1',
      [event.id],
    )
    expect(reasons).toEqual([
      { passed_over: 'TOO_FEW_BACK', count: 12_000 },
      { passed_over: null, count: 1 },
    ])
  })

  test('are not offered while the sale is paused', async () => {
    const { event, cancel } = await soldOut()
    const ana = testAccount()
    const a = await waitlist.joined(ana, event)
    await cancel(0)
    await database.sql('update sales set paused = true where event_id = $1', [event.id])
    await waitlist.offer(event.id)
    expect(await stateOf(ana, a.id)).toBe('WAITING')
    expect(await isWaitlistOnly(event)).toBe(true)
  })
})

import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { Account } from '../../../src/sale/caller.ts'
import { createBlocks } from '../../../src/sale/holds/blocks.ts'
import type { HoldView } from '../../../src/sale/holds/holds.ts'
import { NotSoldOut, SaleOver, TicketLimitReached } from '../../../src/sale/refusals.ts'
import { cancelOrder } from '../../../src/sql/orders.ts'
import { readSale } from '../../../src/sql/sales.ts'
import { eventsWithWaitlist } from '../../../src/sql/waitlist.ts'
import { runOut, testAccount, testCheckout } from '../../support/checkout.ts'
import { testDatabase } from '../../support/database.ts'
import { insertEvent, type TestEvent, type TestEventOptions } from '../../support/event.ts'
import { ask, askFor, isHold, sideBySide } from '../../support/holds.ts'
import { brokenInvariants, expectInvariants } from '../../support/invariants.ts'
import { until } from '../../support/jobs.ts'
import { seededRandom } from '../../support/random.ts'
import { recordSnatched, sellOut, testWaitlist } from '../../support/waitlist.ts'

const database = await testDatabase({ connections: 30 })
await recordSnatched(database)
const sale = testCheckout(database)
const waitlist = testWaitlist(database)
const events: TestEvent[] = []

afterEach(async () => {
  vi.useRealTimers()
  for (const event of events.splice(0)) await expectInvariants(database, event.id)
})

async function soldOut(options: TestEventOptions = {}, seatsAnOrder = 8) {
  const event = await insertEvent(database, { sections: [{ seats: 8 }], ...options })
  events.push(event)
  const orders = await sellOut(sale, event, testAccount, seatsAnOrder)
  return { event, orders, cancel: (i: number) => cancelOrder(database, event.id, orders[i]?.id as string) }
}

const stateOf = async (account: Account, id: string) => (await waitlist.find(account, id))?.state

async function offerOf(account: Account, id: string): Promise<HoldView> {
  const entry = await waitlist.find(account, id)
  const hold = entry?.holdId ? await sale.holds.find(account, entry.holdId) : null
  if (!hold) throw new Error(`no offer: ${entry?.state}`)
  return hold
}

async function reasonOf(id: string): Promise<string | null> {
  const [row] = await database.sql('select passed_over from waitlist_entries where id = $1', [id])
  return row?.passed_over
}

const isWaitlistOnly = async (event: TestEvent) => (await readSale(database, event.id))?.waitlistOnly

/** Of accounts of their own, for two each. */
const insertEntries = (event: TestEvent, count: number) =>
  database.sql(
    `insert into waitlist_entries (event_id, id, account_id, quantity, accept_fewer)
     select $1, 'wle_x_' || $1 || i, 'fan' || i, 2, false from generate_series(1, $2::int) i`,
    [event.id, count],
  )

const blocks = createBlocks({ db: database, catalogue: sale.catalogue, seatMap: { publish() {} } })
const unblock = (event: TestEvent, seatNos: number[]) =>
  blocks.unblock(testAccount(), { eventId: event.id, seats: seatNos.map(event.seatId), reason: 'the camera' })

const untilSomebodyWaits = () =>
  until(
    async () =>
      (await database.sql("select from pg_locks where locktype = 'advisory' and not granted")).length > 0,
    'somebody to wait for an advisory lock',
    10_000,
  )

describe('joining', () => {
  test('is refused while seats are for sale, or merely held', async () => {
    const event = await insertEvent(database, { sections: [{ seats: 3 }] })
    events.push(event)
    const fan = testAccount()
    await sale.hold(testAccount(), event, [1])
    const answer = await waitlist.join(fan, { eventId: event.id, quantity: 1 })
    expect(answer).toBeInstanceOf(NotSoldOut)
    expect(answer).toMatchObject({ available: 2, retryAfterSeconds: null })
    await sale.hold(testAccount(), event, [2, 3])
    expect(await waitlist.join(fan, { eventId: event.id, quantity: 1 })).toMatchObject({ available: 0 })
    expect(await waitlist.list(fan)).toEqual([])
    expect(await isWaitlistOnly(event)).toBe(false)
  })

  test('is not refused for a companion seat that nobody can have, and offers it to nobody', async () => {
    const event = await insertEvent(database, { sections: [{ seats: 3 }] })
    events.push(event)
    await database.sql(
      'update seats set wheelchair = no = 1, companion_of = case no when 2 then 1 end where event_id = $1',
      [event.id],
    )
    const bob = testAccount()
    await sale.pay(bob, await sale.hold(bob, event, [1]))
    const ana = testAccount()
    expect(await waitlist.join(ana, { eventId: event.id, quantity: 1 })).toBeInstanceOf(NotSoldOut)
    const eve = testAccount()
    await sale.pay(eve, await sale.hold(eve, event, [3]))
    const a = await waitlist.joined(ana, event)
    await waitlist.offer(event.id)
    expect(await stateOf(ana, a.id)).toBe('WAITING')
  })

  test('once sold out gives an entry at the end, and twice the same entry', async () => {
    const { event } = await soldOut()
    const [ana, bob] = [testAccount(), testAccount()]
    const first = await waitlist.joined(ana, event, { quantity: 2 })
    expect(first).toEqual({
      id: expect.stringMatching(/^wle_/),
      eventId: event.id,
      state: 'WAITING',
      quantity: 2,
      position: 1,
      holdId: null,
    })
    expect(await waitlist.joined(bob, event)).toMatchObject({ position: 2 })
    expect(await waitlist.joined(ana, event, { quantity: 5 })).toEqual(first)
    expect(await waitlist.list(ana, event.id)).toEqual([first])
    expect(await waitlist.find(bob, first.id)).toBeNull()
    expect(await ask(sale.holds, testAccount(), event, [1])).toMatchObject({ saleState: 'SOLD_OUT' })
  })

  test('twelve times at once by one account makes one entry', async () => {
    const { event } = await soldOut()
    const fan = testAccount()
    const entries = await sideBySide(12, 12, () => waitlist.joined(fan, event))
    expect(new Set(entries.map(({ id }) => id)).size).toBe(1)
  })

  test('counts the tickets that the account has', async () => {
    const event = await insertEvent(database, { sections: [{ seats: 3 }], ticketLimit: 4 })
    events.push(event)
    const fan = testAccount()
    await sale.pay(fan, await sale.hold(fan, event, [1, 2, 3]))
    const answer = await waitlist.join(fan, { eventId: event.id, quantity: 2 })
    expect(answer).toBeInstanceOf(TicketLimitReached)
    expect(answer).toMatchObject({ limit: 4, used: 3, retryAfterSeconds: null })
    expect(await waitlist.joined(fan, event, { quantity: 1 })).toMatchObject({ state: 'WAITING' })
  })

  test('a sale that has ended has no waitlist', async () => {
    const { event } = await soldOut()
    await database.sql("update sales set ends_at = now() - interval '1 second' where event_id = $1", [
      event.id,
    ])
    const answer = await waitlist.join(testAccount(), { eventId: event.id, quantity: 1 })
    expect(answer).toBeInstanceOf(SaleOver)
    expect(answer).toMatchObject({ saleState: 'ENDED' })
  })

  test('mistakes are named where they were made, and an address must be verified', async () => {
    const { event } = await soldOut({ ticketLimit: 8 })
    const input = { eventId: event.id, quantity: 9, sectionId: 'nowhere', priceLevelId: 'lvl_x_1' }
    const paths = (...fields: string[]) => ({
      code: 'BAD_USER_INPUT',
      extensions: { faults: fields.map((field) => ({ path: ['input', field] })) },
    })
    await expect(waitlist.join(testAccount(), input)).rejects.toMatchObject(
      paths('quantity', 'sectionId', 'priceLevelId'),
    )
    await expect(waitlist.join(testAccount(), { eventId: event.id, quantity: 0 })).rejects.toMatchObject(
      paths('quantity'),
    )
    await expect(waitlist.join(testAccount(), { ...input, eventId: 'evt_x' })).rejects.toMatchObject(
      paths('eventId'),
    )
    const unverified = { ...testAccount(), emailVerified: false }
    await expect(waitlist.join(unverified, { eventId: event.id, quantity: 1 })).rejects.toMatchObject({
      code: 'FORBIDDEN',
    })
  })
})

describe('what comes back', () => {
  test('is offered to the first, and nobody else can hold it, until everybody has had his turn', async () => {
    const { event, cancel } = await soldOut({}, 2)
    const [ana, bob, eve] = [testAccount(), testAccount(), testAccount()]
    const a = await waitlist.joined(ana, event, { quantity: 2 })
    const b = await waitlist.joined(bob, event, { quantity: 2 })
    await cancel(0)
    // Between the cancellation and the offer too.
    expect(await ask(sale.holds, eve, event, [1])).toMatchObject({ saleState: 'SOLD_OUT' })
    await waitlist.offer(event.id)
    const offer = await offerOf(ana, a.id)
    expect(offer).toMatchObject({ state: 'ACTIVE', items: [{ seatNo: 1 }, { seatNo: 2 }] })
    expect(await waitlist.find(ana, a.id)).toMatchObject({ state: 'OFFERED', position: null })
    expect(await waitlist.find(bob, b.id)).toMatchObject({ state: 'WAITING', position: 1 })
    expect(waitlist.mapChanges.filter(({ status }) => status === 1).map(({ seatNo }) => seatNo)).toEqual([
      1, 2,
    ])

    // One at a time.
    await cancel(1)
    await waitlist.offer(event.id)
    expect(await stateOf(bob, b.id)).toBe('WAITING')

    await runOut(database, offer)
    expect(await ask(sale.holds, eve, event, [1, 2])).toMatchObject({ saleState: 'SOLD_OUT' })
    await sale.holds.sweep(event.id)
    expect(await stateOf(ana, a.id)).toBe('LAPSED')
    await waitlist.offer(event.id)
    expect(await stateOf(bob, b.id)).toBe('OFFERED')
    expect(await sale.pay(bob, await offerOf(bob, b.id))).toMatchObject({ state: 'CONFIRMED' })
    expect(await stateOf(bob, b.id)).toBe('FULFILLED')

    // Nobody waits any more: what is left is everybody's.
    await waitlist.offer(event.id)
    expect(await isWaitlistOnly(event)).toBe(false)
    expect(isHold(await askFor(sale.holds, eve, event, { bestAvailable: { quantity: 2 } }))).toBe(true)
    // Whose turn is over may join again, at the end, once it is sold out again.
    expect(await waitlist.join(ana, { eventId: event.id, quantity: 1 })).toBeInstanceOf(NotSoldOut)
  })

  test('a released offer goes to the next, and its fan may join again at the end', async () => {
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

  test('goes to the first whom it fits, and who is passed over has a reason', async () => {
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

  test('that fits nobody is for sale again; the next that comes back is the waitlist’s first', async () => {
    const { event, cancel } = await soldOut({}, 1)
    const ana = testAccount()
    const a = await waitlist.joined(ana, event, { quantity: 2 })
    await cancel(3)
    await waitlist.offer(event.id)
    expect(await isWaitlistOnly(event)).toBe(false)
    expect(await reasonOf(a.id)).toBe('TOO_FEW_BACK')
    // What brings nothing back takes nothing from anybody.
    expect(await cancel(3)).toMatchObject({ cancelled: false })
    expect(await unblock(event, [4, 5])).toMatchObject({ changed: [] })
    expect(await isWaitlistOnly(event)).toBe(false)
    const eve = testAccount()
    expect(await sale.pay(eve, await sale.hold(eve, event, [4]))).toMatchObject({ state: 'CONFIRMED' })
    expect(await stateOf(ana, a.id)).toBe('WAITING')

    // What somebody gives back, or lets run out, is looked at at once: it may make enough for who was passed over.
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

    // Two seats apart are two seats: better than none.
    await cancel(6)
    expect(await ask(sale.holds, eve, event, [1])).toMatchObject({ saleState: 'SOLD_OUT' })
    await waitlist.offer(event.id)
    expect((await offerOf(ana, a.id)).items.map(({ seatNo }) => seatNo)).toEqual([1, 7])
  })

  describe('that fits nobody, and is more by what others give back, goes to whom it fits then', () => {
    /** Ana waits for two; seat 1 fits nobody, is opened to everybody and held by a fan; then seat 2 comes back. */
    async function heldByAFan() {
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

    async function expectOffered({ event, ana, a }: Awaited<ReturnType<typeof heldByAFan>>) {
      const two = { bestAvailable: { quantity: 2 } }
      expect(await askFor(sale.holds, testAccount(), event, two)).toMatchObject({ saleState: 'SOLD_OUT' })
      expect(await ask(sale.holds, testAccount(), event, [1])).toMatchObject({ saleState: 'SOLD_OUT' })
      await waitlist.offer(event.id)
      expect((await offerOf(ana, a.id)).items.map(({ seatNo }) => seatNo)).toEqual([1, 2])
    }

    test('by a release', async () => {
      const back = await heldByAFan()
      await sale.holds.release(back.fan, back.hold.id)
      await expectOffered(back)
    })

    test('by the release of a hold whose time was over', async () => {
      const back = await heldByAFan()
      await runOut(database, back.hold)
      await sale.holds.release(back.fan, back.hold.id)
      await expectOffered(back)
    })

    test('by the sweeper', async () => {
      const back = await heldByAFan()
      await runOut(database, back.hold, 0)
      await sale.holds.sweep(back.event.id)
      await expectOffered(back)
    })

    test('by time alone, before the sweeper has come', async () => {
      const back = await heldByAFan()
      await runOut(database, back.hold, 0)
      await expectOffered(back)
    })

    test('by time alone, also where it is asked for by name', async () => {
      const back = await heldByAFan()
      await runOut(database, back.hold, 0)
      expect(await ask(sale.holds, testAccount(), back.event, [1])).toMatchObject({ saleState: 'SOLD_OUT' })
      await expectOffered(back)
    })

    test('and where it fits nobody still, it is everybody’s, also before the sweeper has come', async () => {
      const { event, ana, hold } = await heldByAFan()
      await waitlist.leave(ana, (await waitlist.list(ana, event.id))[0]?.id as string)
      const bob = testAccount()
      await database.sql('update sales set waitlist_only = true where event_id = $1', [event.id])
      const b = await waitlist.joined(bob, event, { quantity: 3 })
      await waitlist.offer(event.id)
      await runOut(database, hold, 0)
      expect(await ask(sale.holds, testAccount(), event, [1])).toMatchObject({ saleState: 'SOLD_OUT' })
      await waitlist.offer(event.id)
      expect(await reasonOf(b.id)).toBe('TOO_FEW_BACK')
      expect(isHold(await ask(sale.holds, testAccount(), event, [1]))).toBe(true)
    })
  })

  test('side by side where there is such a block', async () => {
    const { event, cancel } = await soldOut({}, 1)
    const ana = testAccount()
    const a = await waitlist.joined(ana, event, { quantity: 2 })
    for (const i of [0, 2, 5, 6]) await cancel(i)
    await waitlist.offer(event.id)
    expect((await offerOf(ana, a.id)).items.map(({ seatNo }) => seatNo)).toEqual([6, 7])
  })

  test('places of one area of general admission', async () => {
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

  test('unblocked seats are the waitlist’s; seats taken off sale are nobody’s', async () => {
    const event = await insertEvent(database, { sections: [{ seats: 4 }] })
    events.push(event)
    const olga = testAccount()
    const request = { eventId: event.id, seats: [3, 4].map(event.seatId), reason: 'the camera' }
    await blocks.block(olga, request)
    await sale.pay(olga, await sale.hold(olga, event, [1, 2]))
    const ana = testAccount()
    const a = await waitlist.joined(ana, event, { quantity: 2 })
    await blocks.unblock(olga, request)
    expect(await ask(sale.holds, testAccount(), event, [3])).toMatchObject({ saleState: 'SOLD_OUT' })
    await waitlist.offer(event.id)
    expect(await stateOf(ana, a.id)).toBe('OFFERED')
  })

  test('who has reached the limit meanwhile is passed over, and offered once that is undone', async () => {
    const { event, orders, cancel } = await soldOut({ ticketLimit: 2 }, 1)
    const [ana, bob] = [testAccount(), testAccount()]
    const a = await waitlist.joined(ana, event, { quantity: 2 })
    const b = await waitlist.joined(bob, event, { quantity: 1 })
    // Her ticket was bought when the sale was open again for a while.
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

  test('an account that is taking its last ticket at this moment is waited for', async () => {
    const { event, orders, cancel } = await soldOut({ ticketLimit: 2 }, 1)
    const [ana, bob] = [testAccount(), testAccount()]
    const a = await waitlist.joined(ana, event, { quantity: 2 })
    const b = await waitlist.joined(bob, event, { quantity: 2 })
    await cancel(3)
    await cancel(4)
    const client = await database.pool.connect()
    let offering: Promise<void>
    try {
      await client.query('begin')
      await client.query('select pg_advisory_xact_lock(account_lock($1, $2))', [event.id, ana.id])
      await client.query('update orders set account_id = $2 where id = $1', [orders[0]?.id, ana.id])
      await client.query('update tickets set account_id = $2 where order_id = $1', [orders[0]?.id, ana.id])
      offering = waitlist.offer(event.id)
      await untilSomebodyWaits()
      await client.query('commit')
    } finally {
      client.release()
    }
    await offering
    expect([await stateOf(ana, a.id), await reasonOf(a.id)]).toEqual(['WAITING', 'TICKET_LIMIT'])
    expect(await stateOf(bob, b.id)).toBe('OFFERED')
  })

  test('12,000 who want more are passed over, each with a reason, before the last is offered', async () => {
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

  test('nothing is offered while the sale is paused', async () => {
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

describe('the end of the sale', () => {
  const end = (event: TestEvent) =>
    database.sql("update sales set ends_at = now() - interval '1 second' where event_id = $1", [event.id])

  test('ends the entries that wait, tells them, and forgets their addresses; an offer goes on', async () => {
    const { event, cancel } = await soldOut({}, 2)
    const [ana, bob] = [testAccount(), testAccount()]
    const a = await waitlist.joined(ana, event)
    await cancel(0)
    await waitlist.offer(event.id)
    const b = await waitlist.joined(bob, event)
    await cancel(1)
    const updates = waitlist.updates(bob, b.id)
    expect((await updates.next()).value).toMatchObject({ state: 'WAITING' })
    await end(event)
    expect(await eventsWithWaitlist(database)).toContain(event.id)
    await waitlist.offer(event.id)
    expect((await updates.next()).value).toMatchObject({ state: 'LAPSED', position: null, holdId: null })
    expect(await updates.next()).toMatchObject({ done: true })
    expect(await stateOf(ana, a.id)).toBe('OFFERED')
    expect(
      await database.sql('select id, email from waitlist_entries where event_id = $1 order by no', [
        event.id,
      ]),
    ).toEqual([
      { id: a.id, email: ana.email },
      { id: b.id, email: null },
    ])
    expect(await sale.pay(ana, await offerOf(ana, a.id))).toMatchObject({ state: 'CONFIRMED' })
    await waitlist.offer(event.id)
    expect(await eventsWithWaitlist(database)).not.toContain(event.id)
  })

  test('ends 12,000 that wait, in pieces', async () => {
    const { event } = await soldOut()
    await insertEntries(event, 12_000)
    await end(event)
    await waitlist.offer(event.id)
    expect(
      await database.sql('select state, count(*)::int from waitlist_entries where event_id = $1 group by 1', [
        event.id,
      ]),
    ).toEqual([{ state: 'LAPSED', count: 12_000 }])
  })

  test('that has none comes a day after the event has begun', async () => {
    const { event } = await soldOut()
    const ana = testAccount()
    const a = await waitlist.joined(ana, event)
    const begin = (ago: string) =>
      database.sql('update events set starts_at = now() - $2::interval where id = $1', [event.id, ago])
    await begin('23 hours')
    await waitlist.offer(event.id)
    expect(await stateOf(ana, a.id)).toBe('WAITING')
    await begin('25 hours')
    await waitlist.offer(event.id)
    expect(await stateOf(ana, a.id)).toBe('LAPSED')
    expect(await waitlist.join(ana, { eventId: event.id, quantity: 1 })).toBeInstanceOf(SaleOver)
    expect(await eventsWithWaitlist(database)).not.toContain(event.id)
  })
})

describe('what the invariants find', () => {
  test('an entry that was overtaken by an offer that would have fitted it, whatever reason it had before', async () => {
    const { event, cancel } = await soldOut({}, 1)
    const ana = testAccount()
    const a = await waitlist.joined(ana, event, { quantity: 2 })
    await waitlist.joined(testAccount(), event, { quantity: 2 })
    await cancel(0)
    await waitlist.offer(event.id)
    expect(await reasonOf(a.id)).toBe('TOO_FEW_BACK')
    await cancel(1)
    const setState = (state: string, endedAt: Date | null) =>
      database.sql('update waitlist_entries set state = $2, ended_at = $3 where id = $1', [
        a.id,
        state,
        endedAt,
      ])
    await setState('LEFT', new Date())
    await waitlist.offer(event.id)
    await setState('WAITING', null)
    expect(await brokenInvariants(database, event.id)).toEqual({
      'nobody on the waitlist is overtaken by an offer that would have fitted, but for the limit of the account':
        [a.id],
    })
    await setState('LEFT', new Date(0))
  })

  test('seats that anybody may hold, and that fit who waits', async () => {
    const { event, cancel } = await soldOut({}, 1)
    const a = await waitlist.joined(testAccount(), event)
    await cancel(0)
    const setOpen = (isOpen: boolean) =>
      database.sql('update sales set waitlist_only = $2 where event_id = $1', [event.id, !isOpen])
    await setOpen(true)
    expect(await brokenInvariants(database, event.id)).toEqual({
      'while the sale is open, what is free fits nobody who waits': [a.id],
    })
    await setOpen(false)
  })
})

describe('leaving', () => {
  test('gives up the place, and is said again without effect', async () => {
    const { event } = await soldOut()
    const [ana, bob] = [testAccount(), testAccount()]
    const a = await waitlist.joined(ana, event)
    const b = await waitlist.joined(bob, event)
    expect(await waitlist.leave(ana, a.id)).toMatchObject({ state: 'LEFT', position: null })
    expect(await waitlist.leave(ana, a.id)).toMatchObject({ state: 'LEFT' })
    expect(await waitlist.find(bob, b.id)).toMatchObject({ position: 1 })
    await expect(waitlist.leave(ana, b.id)).rejects.toMatchObject({ code: 'BAD_USER_INPUT' })
    await waitlist.leave(bob, b.id)
    await waitlist.offer(event.id)
    expect(await isWaitlistOnly(event)).toBe(false)
  })

  test('an offer that has run out tells who watches that it is over', async () => {
    const { event, cancel } = await soldOut({}, 2)
    const ana = testAccount()
    const a = await waitlist.joined(ana, event)
    await cancel(0)
    await waitlist.offer(event.id)
    const updates = waitlist.updates(ana, a.id)
    expect((await updates.next()).value).toMatchObject({ state: 'OFFERED' })
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    const told = updates.next()
    await runOut(database, await offerOf(ana, a.id))
    expect(await waitlist.leave(ana, a.id)).toMatchObject({ state: 'LAPSED' })
    // Not by looking again after a while: the time stands still.
    expect((await told).value).toMatchObject({ state: 'LAPSED' })
  })

  test('while offered gives the account its whole limit back', async () => {
    const { event, cancel } = await soldOut({ ticketLimit: 2 }, 1)
    const ana = testAccount()
    const a = await waitlist.joined(ana, event, { quantity: 2 })
    await cancel(0)
    await cancel(1)
    await waitlist.offer(event.id)
    const offer = await offerOf(ana, a.id)
    expect(offer.items).toHaveLength(2)
    expect(await waitlist.join(ana, { eventId: event.id, quantity: 1 })).toMatchObject({ id: a.id })
    await waitlist.leave(ana, a.id)
    const again = await waitlist.joined(ana, event, { quantity: 2 })
    expect(again.id).not.toBe(a.id)
    await waitlist.offer(event.id)
    const next = await offerOf(ana, again.id)
    expect(next.items).toHaveLength(2)
    await waitlist.leave(ana, again.id)
    await waitlist.offer(event.id)
    const hold = await sale.hold(ana, event, [1, 2])
    expect(await sale.pay(ana, hold)).toMatchObject({ state: 'CONFIRMED' })
  })

  test('ends the offer, which goes to the next; not while it is being paid for', async () => {
    const { event, cancel } = await soldOut({}, 2)
    const [ana, bob] = [testAccount(), testAccount()]
    const a = await waitlist.joined(ana, event)
    const b = await waitlist.joined(bob, event)
    await cancel(0)
    await waitlist.offer(event.id)
    const offer = await offerOf(ana, a.id)
    expect(await waitlist.leave(ana, a.id)).toMatchObject({ state: 'LEFT', holdId: offer.id })
    expect(await sale.holds.find(ana, offer.id)).toMatchObject({ state: 'RELEASED' })
    await waitlist.offer(event.id)
    const next = await offerOf(bob, b.id)
    let leaving: Promise<unknown> = Promise.resolve()
    const slow = testCheckout(database, {
      wrap: (provider) => ({
        ...provider,
        async authorize(request) {
          leaving = waitlist.leave(bob, b.id)
          expect(await leaving).toMatchObject({ state: 'OFFERED' })
          return provider.authorize(request)
        },
      }),
    })
    expect(await slow.pay(bob, next)).toMatchObject({ state: 'CONFIRMED' })
    await leaving
    expect(await waitlist.leave(bob, b.id)).toMatchObject({ state: 'FULFILLED' })
  })
})

test('an offer is mailed once, with what it is and until when; not after its end', async () => {
  const { event, cancel } = await soldOut({}, 2)
  const [ana, bob] = [testAccount(), testAccount()]
  const a = await waitlist.joined(ana, event, { quantity: 2 })
  const b = await waitlist.joined(bob, event)
  await cancel(0)
  await waitlist.offer(event.id)
  const rows = await database.sql("select data from outbox where job = 'mailOffer'")
  expect(rows).toContainEqual({ data: { entryId: a.id } })
  await waitlist.mailOffer(a.id)
  await waitlist.mailOffer(a.id)
  expect(waitlist.mails).toEqual([
    {
      to: ana.email,
      subject: '2 tickets for Test concert, held for you',
      text: expect.stringContaining(`https://tickets.example.com/e/${event.slug}`),
    },
  ])
  await sale.holds.release(ana, (await offerOf(ana, a.id)).id)
  await waitlist.offer(event.id)
  await sale.holds.release(bob, (await offerOf(bob, b.id)).id)
  await waitlist.mailOffer(b.id)
  expect(waitlist.mails).toHaveLength(1)
})

test('a subscriber is told the entry, its offer and its end', async () => {
  const { event, cancel } = await soldOut({}, 2)
  const ana = testAccount()
  const a = await waitlist.joined(ana, event)
  const updates = waitlist.updates(ana, a.id)
  expect((await updates.next()).value).toMatchObject({ state: 'WAITING', position: 1 })
  await cancel(0)
  await waitlist.offer(event.id)
  const { value: offered } = await updates.next()
  expect(offered).toMatchObject({ state: 'OFFERED' })
  await sale.pay(ana, await offerOf(ana, a.id))
  await waitlist.offer(event.id)
  expect((await updates.next()).value).toMatchObject({ state: 'FULFILLED' })
  expect(await updates.next()).toMatchObject({ done: true })
  await expect(waitlist.updates(testAccount(), a.id).next()).rejects.toMatchObject({ code: 'BAD_USER_INPUT' })
})

test('offers, holds, joins, leavings, sales and seats that come back, all at once: nobody is wronged', async () => {
  const processes = [database.another(), database.another()].map((db) => ({
    sale: testCheckout(db),
    waitlist: testWaitlist(db),
    db,
  }))
  const of = (i: number) => processes[i % 2] as (typeof processes)[0]
  const { event, orders } = await soldOut({ sections: [{ seats: 20 }, { places: 20 }], ticketLimit: 4 }, 1)
  const random = seededRandom()
  const fans = Array.from({ length: 60 }, testAccount)
  let [back, tried, snatched] = [0, 0, 0]

  const keep = (id: string, { items }: HoldView) =>
    orders.push({ id, seatNos: items.map(({ seatNo }) => seatNo) })

  /** What a hold of somebody else may be: of seats that were opened to everybody. */
  async function snatch(i: number) {
    tried++
    const account = testAccount()
    const place = { sectionId: event.sectionId(2), quantity: 1 }
    const held = await (random() < 0.2
      ? ask(of(i).sale.holds, account, event, [1 + Math.floor(random() * 20)])
      : askFor(
          of(i).sale.holds,
          account,
          event,
          random() < 0.5 ? { bestAvailable: { quantity: 1 } } : { generalAdmission: place },
        ))
    if (!isHold(held)) return
    snatched++
    const dice = random()
    if (dice < 0.2) await of(i).sale.holds.release(account, held.id)
    else if (dice < 0.4) await runOut(database, held, 0)
    else {
      // So that it is sold out again before long.
      const order = await of(i).sale.pay(account, held)
      if ('state' in order && order.state === 'CONFIRMED') keep(order.id, held)
    }
  }
  async function takeOffer(i: number) {
    const [offered] = await database.sql<{ id: string; account_id: string; hold_id: string }>(
      "select id, account_id, hold_id from waitlist_entries where event_id = $1 and state = 'OFFERED'",
      [event.id],
    )
    if (!offered) return
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
    await of(i).waitlist.join(fan, {
      eventId: event.id,
      quantity: 3 + Math.floor(random() * 2),
      sectionId: random() < 0.3 ? event.sectionId(1 + Math.floor(random() * 2)) : null,
      acceptFewer: random() < 0.03,
    })
  }
  async function comeBack(i: number) {
    const order = orders.splice(Math.floor(random() * orders.length), 1)[0]
    if (order && (await cancelOrder(of(i).db, event.id, order.id)).cancelled) back++
  }
  const acts = [snatch, snatch, snatch, snatch, snatch, takeOffer, takeOffer, takeOffer, join, comeBack]
  for (let i = 0; i < 10; i++) await join(i)
  await sideBySide(1_000, 16, async (i) => {
    await (acts[Math.floor(random() * acts.length)] as (typeof acts)[0])(i)
    if (i % 3 === 0) await of(i).waitlist.offer(event.id)
    if (i % 20 === 0) await of(i).sale.holds.sweep(event.id)
  })
  const offered = await database.sql(
    'select state, passed_over from waitlist_entries where event_id = $1 and hold_id is not null',
    [event.id],
  )
  const count = (state: string) => offered.filter((row) => row.state === state).length
  console.log(
    `${back} orders came back: ${offered.length} offers, ${count('FULFILLED')} bought, ${snatched} of ${tried} tries of others held something`,
  )
  expect(await database.sql('select what from snatched where event_id = $1', [event.id])).toEqual([])
  // Some find what fits nobody who waits, and in some runs none does.
  expect(tried).toBeGreaterThan(300)
  expect(offered.length).toBeGreaterThan(5)
  expect(count('FULFILLED')).toBeGreaterThan(0)
})

describe('ordinary holds race what comes back', () => {
  test('50 rounds: a seat that fits the waitlist is never anybody else’s', async () => {
    const event = await insertEvent(database, { sections: [{ seats: 40 }], ticketLimit: 2 })
    events.push(event)
    const orders = await sellOut(sale, event, testAccount, 2)
    const other = testCheckout(database.another())
    for (let round = 0; round < 50; round++) {
      const fan = testAccount()
      const entry = await waitlist.joined(fan, event, { quantity: 2 })
      // It was passed over before, and the sale was open again, as after a single seat that came back.
      await database.sql('update sales set waitlist_only = false where event_id = $1', [event.id])
      const [order] = orders.splice(round % orders.length, 1)
      const { id, seatNos } = order as { id: string; seatNos: number[] }
      const [seatNo = 0] = seatNos
      const held = await Promise.all([
        ...[0, 1, 2].map(() => askFor(other.holds, testAccount(), event, { bestAvailable: { quantity: 1 } })),
        cancelOrder(database, event.id, id),
        waitlist.offer(event.id),
        ...[0, 1, 2].map(() => ask(other.holds, testAccount(), event, [seatNo])),
      ])
      expect(held.filter((result) => result && isHold(result))).toEqual([])
      await waitlist.offer(event.id)
      const offer = await offerOf(fan, entry.id)
      expect(offer.items.map((item) => item.seatNo)).toEqual(seatNos)
      const sold = await sale.pay(fan, offer)
      orders.push({ id: (sold as { id: string }).id, seatNos })
    }
  })

  test('24 rounds: nor is a seat that a hold gives back, by a release, the sweeper or time alone', async () => {
    const event = await insertEvent(database, { sections: [{ seats: 48 }], ticketLimit: 2 })
    events.push(event)
    const orders = await sellOut(sale, event, testAccount, 1)
    const other = testCheckout(database.another())
    const cancel = async () => {
      const order = orders.shift() as { id: string; seatNos: number[] }
      await cancelOrder(database, event.id, order.id)
      return order.seatNos[0] as number
    }
    const giveBack = [
      (account: Account, hold: HoldView) => sale.holds.release(account, hold.id),
      async (_: Account, hold: HoldView) => {
        await runOut(database, hold, 0)
        await sale.holds.sweep(event.id)
      },
      (_: Account, hold: HoldView) => runOut(database, hold, 0),
    ]
    for (let round = 0; round < 24; round++) {
      const [ana, fan] = [testAccount(), testAccount()]
      const entry = await waitlist.joined(ana, event, { quantity: 2 })
      // Each fits nobody, and is everybody’s.
      const first = await cancel()
      await waitlist.offer(event.id)
      const hold = await sale.hold(fan, event, [first])
      const second = await cancel()
      await waitlist.offer(event.id)
      expect(await isWaitlistOnly(event)).toBe(false)

      const two = { bestAvailable: { quantity: 2, together: false } }
      const held = await Promise.all([
        (giveBack[round % 3] as (typeof giveBack)[0])(fan, hold),
        ...[0, 1, 2, 3].map(async (i) => {
          await sleep(i)
          return [
            await askFor(other.holds, testAccount(), event, two),
            await ask(other.holds, testAccount(), event, [first]),
          ]
        }),
      ])
      expect(held.slice(1).flatMap((results) => (results as object[]).filter(isHold))).toEqual([])
      await waitlist.offer(event.id)
      const offer = await offerOf(ana, entry.id)
      expect(offer.items.map(({ seatNo }) => seatNo)).toEqual([first, second])
      await sale.pay(ana, offer)
    }
  })

  test('a hold that passed its gates before the seat came back holds nothing of the waitlist’s', async () => {
    const { event, cancel } = await soldOut({}, 1)
    const a = await waitlist.joined(testAccount(), event)
    await database.sql('update sales set waitlist_only = false where event_id = $1', [event.id])
    const client = await database.pool.connect()
    try {
      // Each a statement of its own, as in the functions that hold.
      await client.query('begin')
      const call = `'${event.id}', 'eve', 'key', 'hash'`
      const begun = await client.query(
        `select (b.answer).outcome from begin_hold(${call}, 1, null, null, null, null) b`,
      )
      expect(begun.rows).toEqual([{ outcome: null }])
      await cancel(4)
      const locked = await client.query(`select lock_free_seats('${event.id}', '{5}', false) as locked`)
      expect(locked.rows).toEqual([{ locked: true }])
      const written = await client.query(
        `select (w).outcome from write_hold(${call}, 'hld_x_1', '{5}', 600, false) w`,
      )
      expect(written.rows).toEqual([{ outcome: 'sold_out' }])
      await client.query('commit')
    } finally {
      client.release()
    }
    await waitlist.offer(event.id)
    expect(await reasonOf(a.id)).toBeNull()
    expect(await database.sql('select account_id from holds where id = $1', ['hld_x_1'])).toEqual([])
  })

  test('the sale is not opened again over what is just coming back', async () => {
    const { event, orders, cancel } = await soldOut({}, 2)
    const ana = testAccount()
    const a = await waitlist.joined(ana, event, { quantity: 3 })
    await cancel(3)
    const client = await database.pool.connect()
    let offering: Promise<void>
    try {
      await client.query('begin')
      await client.query('select cancel_order($1, $2)', [event.id, orders[1]?.id])
      offering = waitlist.offer(event.id)
      await untilSomebodyWaits()
      await client.query('commit')
    } finally {
      client.release()
    }
    await offering
    expect(await stateOf(ana, a.id)).toBe('OFFERED')
  })
})

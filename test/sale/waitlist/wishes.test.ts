import { describe, expect, test } from 'vitest'
import { AdmissionRequired, NotSoldOut, SaleOver } from '../../../src/sale/refusals.ts'
import type { WaitlistInput } from '../../../src/sale/waitlist/waitlistInput.ts'
import { cancelOrder } from '../../../src/sql/orders/orderTransitions.ts'
import { testAccount } from '../../support/checkout.ts'
import type { TestEvent } from '../../support/event.ts'
import { ask, askFor, isHold } from '../../support/holds.ts'
import { waitlistScene } from '../../support/waitlist.ts'

const scene = await waitlistScene()
const { database, sale, waitlist, newEvent, stateOf, offerOf, reasonOf, isWaitlistOnly } = scene

/** Four seats in section 1, one of them a wheelchair seat with two companion seats in section 2, and an area of three. */
async function hall() {
  const event = await newEvent({ sections: [{ seats: 4 }, { seats: 3 }, { places: 3 }] })
  await database.sql(
    `update seats set wheelchair = no = 5, companion_of = case when no in (6, 7) then 5 end where event_id = $1`,
    [event.id],
  )
  return event
}

/** Sells seats, and returns their order. */
async function sell(event: TestEvent, seatNos: number[]): Promise<string> {
  const account = testAccount()
  const order = await sale.pay(account, await sale.hold(account, event, seatNos))
  return (order as { id: string }).id
}

const faultOf = (event: TestEvent, input: Partial<WaitlistInput>) =>
  waitlist
    .join(testAccount(), { eventId: event.id, quantity: 1, ...input })
    .then((answer) => answer.constructor.name)
    .catch((error) => error.extensions.faults)

describe('while a sale is on', () => {
  test('a fan waits for a section that is gone, the other sections stay on sale, and only that section’s seats are the fan’s', async () => {
    const event = await newEvent({ sections: [{ seats: 4 }, { seats: 4 }] })
    const order = await sell(event, [1, 2, 3, 4])
    const ana = testAccount()
    const inA = { sectionId: event.sectionId(1) }
    expect(
      await waitlist.join(ana, { eventId: event.id, quantity: 2, sectionId: event.sectionId(2) }),
    ).toBeInstanceOf(NotSoldOut)
    const a = await waitlist.joined(ana, event, { quantity: 2, ...inA })
    expect(await isWaitlistOnly(event)).toBe(false)
    await cancelOrder(database, event.id, order)
    // No fan gets these seats before the offer, and every fan gets the others.
    const [bob, eve] = [testAccount(), testAccount()]
    expect(await ask(sale.holds, bob, event, [1])).toMatchObject({
      unavailable: [event.seatId(1)],
      retryAfterSeconds: expect.any(Number),
    })
    const best = await askFor(sale.holds, eve, event, { bestAvailable: { quantity: 2 } })
    expect(isHold(best) && best.items.map(({ seatNo }) => seatNo)).toEqual([5, 6])
    await waitlist.offer(event.id)
    expect((await offerOf(ana, a.id)).items).toHaveLength(2)
    // What is left of the section fits no fan who waits.
    const rest = await askFor(sale.holds, bob, event, { bestAvailable: { quantity: 2, ...inA } })
    expect(isHold(rest)).toBe(true)
  })

  test('a fan waits for seats side by side while single seats are free, and these stay on sale', async () => {
    const event = await newEvent({ sections: [{ seats: 4 }] })
    const [first, second] = [await sell(event, [2]), await sell(event, [4])]
    const ana = testAccount()
    const two = { eventId: event.id, quantity: 2 }
    expect(await waitlist.join(ana, { ...two, together: false })).toMatchObject({ holdable: { wish: 0 } })
    const a = await waitlist.joined(ana, event, { quantity: 2, together: true })
    await waitlist.offer(event.id)
    expect(await stateOf(ana, a.id)).toBe('WAITING')
    await cancelOrder(database, event.id, second)
    // Seat 1 fits no waiting fan; seats 3 and 4 do.
    expect(isHold(await ask(sale.holds, testAccount(), event, [1]))).toBe(true)
    expect(isHold(await ask(sale.holds, testAccount(), event, [3]))).toBe(false)
    await cancelOrder(database, event.id, first)
    await waitlist.offer(event.id)
    expect((await offerOf(ana, a.id)).items.map(({ seatNo }) => seatNo)).toEqual([2, 3])
  })

  test('a fan who accepts seats apart, or fewer, is referred to the hold that can succeed', async () => {
    const event = await newEvent({ sections: [{ seats: 3 }] })
    await sell(event, [2])
    const join = (input: Partial<WaitlistInput>) =>
      waitlist.join(testAccount(), { eventId: event.id, quantity: 2, ...input })
    expect(await join({})).toMatchObject({ holdable: { wish: 0, quantity: 2, together: false } })
    expect(await join({ quantity: 3, acceptFewer: true })).toMatchObject({
      holdable: { quantity: 2, together: false },
    })
    expect(await join({ together: true, acceptFewer: true })).toMatchObject({
      holdable: { quantity: 1, together: true },
    })
    expect(await join({ together: true })).toMatchObject({ state: 'WAITING' })
  })

  test('a fan who has not been let in from the waiting room cannot get ahead of its line', async () => {
    const event = await newEvent({ sections: [{ seats: 2 }, { seats: 2 }], waitingRoom: true })
    await database.sql('update seats set status = 3 where event_id = $1 and section_no = 1', [event.id])
    const ana = testAccount()
    const input = { eventId: event.id, quantity: 1, sectionId: event.sectionId(1) }
    expect(await waitlist.join(ana, input)).toBeInstanceOf(AdmissionRequired)
    await database.sql(
      `insert into admissions (event_id, account_id, arrival, place, device, expires_at)
       values ($1, $2, 1, 1, '', now() + interval '1 minute')`,
      [event.id, ana.id],
    )
    expect(await waitlist.join(ana, input)).toMatchObject({ state: 'WAITING' })
    // Sold out, the line is closed, and every fan can wait.
    await database.sql('update seats set status = 3 where event_id = $1', [event.id])
    expect(await waitlist.join(testAccount(), input)).toMatchObject({ state: 'WAITING' })
  })
})

describe('a wish that can never be met is refused, and the reason says how to wait', () => {
  test('more seats than the section, the price level or one row has', async () => {
    const event = await hall()
    const where = { sectionId: event.sectionId(1) }
    const quantity = { path: ['input', 'quantity'] }
    expect(await faultOf(event, { quantity: 5, ...where })).toEqual([
      { ...quantity, message: expect.stringContaining('more than the 4 tickets that this section can give') },
    ])
    expect(await faultOf(event, { quantity: 5, ...where, acceptFewer: true })).toBe('NotSoldOut')
    expect(await faultOf(event, { quantity: 4, sectionId: event.sectionId(3) })).toEqual([
      { ...quantity, message: expect.stringContaining('3 tickets') },
    ])
    const apart = await newEvent({ sections: [{ seats: 40 }], ticketLimit: 40 })
    expect(await faultOf(apart, { quantity: 21, together: true })).toEqual([
      { ...quantity, message: expect.stringContaining('20 tickets side by side') },
    ])
    expect(await faultOf(apart, { quantity: 21 })).toBe('NotSoldOut')
  })

  test('a wheelchair-only section without wheelchairSeats, and wheelchair seats where there are none', async () => {
    const event = await hall()
    expect(await faultOf(event, { sectionId: event.sectionId(2) })).toEqual([
      { path: ['input', 'sectionId'], message: expect.stringContaining('set wheelchairSeats') },
    ])
    const paths = async (input: Partial<WaitlistInput>) =>
      ((await faultOf(event, input)) as { path: unknown[] }[]).map(({ path }) => path.slice(1).join('.'))
    expect(await paths({ wheelchairSeats: 1, sectionId: event.sectionId(1) })).toEqual(['wheelchairSeats'])
    expect(await paths({ wheelchairSeats: 2, quantity: 2 })).toEqual(['wheelchairSeats'])
    expect(await paths({ wheelchairSeats: 1, quantity: 4 })).toEqual(['quantity'])
    expect(await paths({ wheelchairSeats: 2, quantity: 1 })).toEqual(['wheelchairSeats'])
    expect(
      await paths({ sectionId: event.sectionId(1), orElse: [{}, { sectionId: event.sectionId(2) }] }),
    ).toEqual(['orElse.1.sectionId'])
    expect(await paths({ orElse: Array(10).fill({}) })).toEqual(['orElse'])
  })
})

test('a wheelchair seat with its companion seats goes to the first fan who asked for that, and to no other', async () => {
  const event = await hall()
  const order = await sell(event, [5, 6, 7])
  await sell(event, [1, 2, 3, 4])
  await askFor(sale.holds, testAccount(), event, {
    generalAdmission: { sectionId: event.sectionId(3), quantity: 3 },
  })
  const [ana, bob, cleo] = [testAccount(), testAccount(), testAccount()]
  const a = await waitlist.joined(ana, event)
  const b = await waitlist.joined(bob, event, { quantity: 3, wheelchairSeats: 1 })
  const c = await waitlist.joined(cleo, event, { quantity: 1, wheelchairSeats: 1 })
  expect([a.position, b.position, c.position]).toEqual([1, 1, 2])
  await cancelOrder(database, event.id, order)
  expect(isHold(await ask(sale.holds, testAccount(), event, [5]))).toBe(false)
  await waitlist.offer(event.id)
  const offer = await offerOf(bob, b.id)
  expect(offer.items.map(({ seatNo }) => seatNo)).toEqual([5, 6, 7])
  expect([await stateOf(ana, a.id), await stateOf(cleo, c.id)]).toEqual(['WAITING', 'WAITING'])
  await sale.holds.release(bob, offer.id)
  await waitlist.offer(event.id)
  expect((await offerOf(cleo, c.id)).items.map(({ seatNo }) => seatNo)).toEqual([5])
  await waitlist.leave(cleo, c.id)
  await waitlist.offer(event.id)
  // On sale again: the refusal names the seats to hold.
  const free = await waitlist.join(cleo, { eventId: event.id, quantity: 2, wheelchairSeats: 1 })
  expect(free).toMatchObject({ holdable: { wish: 0, seats: [5, 6].map(event.seatId) } })
})

test('a fan with alternatives gets the first of them that comes back', async () => {
  const event = await newEvent({ sections: [{ seats: 2 }, { seats: 2 }, { seats: 2 }] })
  const orders: string[] = []
  for (const seatNos of [
    [1, 2],
    [3, 4],
    [5, 6],
  ])
    orders.push(await sell(event, seatNos))
  const [ana, bob] = [testAccount(), testAccount()]
  const part = (no: number) => ({ sectionId: event.sectionId(no) })
  const a = await waitlist.joined(ana, event, { quantity: 2, ...part(1), orElse: [part(2)] })
  const b = await waitlist.joined(bob, event, { quantity: 2, ...part(1), orElse: [part(3)] })
  await cancelOrder(database, event.id, orders[1] as string)
  await cancelOrder(database, event.id, orders[0] as string)
  await waitlist.offer(event.id)
  expect((await offerOf(ana, a.id)).items.map(({ seatNo }) => seatNo)).toEqual([1, 2])
  expect(await stateOf(bob, b.id)).toBe('WAITING')
  expect(await reasonOf(b.id)).toBe('TOO_FEW_BACK')
  await cancelOrder(database, event.id, orders[2] as string)
  await waitlist.offer(event.id)
  expect((await offerOf(bob, b.id)).items.map(({ seatNo }) => seatNo)).toEqual([5, 6])
})

describe('the odds of an entry', () => {
  test('are the fans ahead, the tickets that they want, and the held seats that may come back; unknown at first', async () => {
    const event = await newEvent({ sections: [{ seats: 10 }, { seats: 2 }] })
    await sale.hold(testAccount(), event, [1, 2, 3, 4])
    await sell(event, [5, 6, 7, 8, 9, 10])
    const inA = { sectionId: event.sectionId(1) }
    await waitlist.joined(testAccount(), event, { quantity: 3, ...inA })
    await waitlist.joined(testAccount(), event, { quantity: 2, ...inA, orElse: [{}] }).catch(() => {})
    const entry = await waitlist.joined(testAccount(), event, { quantity: 2, ...inA })
    expect(await waitlist.odds(entry)).toMatchObject({ seatsThatMayComeBack: null })

    const other = await newEvent({ sections: [{ seats: 10 }] })
    for (let i = 0; i < 20; i++) {
      const fan = testAccount()
      const hold = await sale.hold(fan, other, [1])
      await sale.holds.release(fan, hold.id)
    }
    await sale.hold(testAccount(), other, [1, 2, 3, 4])
    for (const seatNos of [[5], [6], [7], [8], [9, 10]]) await sell(other, seatNos)
    await waitlist.joined(testAccount(), other, { quantity: 3 })
    const last = await waitlist.joined(testAccount(), other, { quantity: 1 })
    // 4 seats are held, and 20 of 25 holds ended unpaid: 3.2 seats.
    expect(await waitlist.odds(last)).toEqual({ entriesAhead: 1, ticketsAhead: 3, seatsThatMayComeBack: 3 })
    await waitlist.leave(testAccount(), last.id).catch(() => {})
    expect(await waitlist.odds({ ...last, state: 'LEFT' })).toBeNull()
  })
})

test('a fan who cannot hold since the sale is over cannot wait either', async () => {
  const event = await newEvent({ sections: [{ seats: 1 }] })
  await database.sql("update sales set ends_at = now() - interval '1 second' where event_id = $1", [event.id])
  expect(await ask(sale.holds, testAccount(), event, [1])).toBeInstanceOf(SaleOver)
  expect(await waitlist.join(testAccount(), { eventId: event.id, quantity: 1 })).toBeInstanceOf(SaleOver)
})

import { describe, expect, test } from 'vitest'
import { NotSoldOut, SaleOver, TicketLimitReached } from '../../../src/sale/refusals.ts'
import { runOut, testAccount } from '../../support/checkout.ts'
import { ask, isHold, sideBySide } from '../../support/holds.ts'
import { waitlistScene } from '../../support/waitlist.ts'

const { database, sale, waitlist, newEvent, soldOut, stateOf, isWaitlistOnly } = await waitlistScene()

describe('joining the waitlist', () => {
  test('is refused while seats are for sale, and possible while all are held', async () => {
    const event = await newEvent({ sections: [{ seats: 3 }] })
    const fan = testAccount()
    await sale.hold(testAccount(), event, [1])
    const answer = await waitlist.join(fan, { eventId: event.id, quantity: 1 })
    expect(answer).toBeInstanceOf(NotSoldOut)
    expect(answer).toMatchObject({
      available: 2,
      holdable: { wish: 0, quantity: 1, areaId: null, seats: [] },
      retryAfterSeconds: null,
    })
    expect(await waitlist.list(fan)).toEqual([])
    const held = await sale.hold(testAccount(), event, [2, 3])
    const entry = await waitlist.joined(fan, event)
    // Held seats may come back: the sale is not the waitlist's.
    expect(await isWaitlistOnly(event)).toBe(false)
    await runOut(database, held, 0)
    expect(await ask(sale.holds, testAccount(), event, [2])).toMatchObject({
      unavailable: [event.seatId(2)],
    })
    await waitlist.offer(event.id)
    expect(await stateOf(fan, entry.id)).toBe('OFFERED')
    expect(isHold(await ask(sale.holds, testAccount(), event, [3]))).toBe(true)
  })

  test('is possible while only a companion seat is free that no fan can buy, and that seat is never offered', async () => {
    const event = await newEvent({ sections: [{ seats: 3 }] })
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

  test('gives an entry at the end once the event is sold out, and the same entry to an account that joins twice', async () => {
    const { event } = await soldOut()
    const [ana, bob] = [testAccount(), testAccount()]
    const first = await waitlist.joined(ana, event, { quantity: 2 })
    expect(first).toEqual({
      id: expect.stringMatching(/^wle_/),
      eventId: event.id,
      no: expect.any(Number),
      state: 'WAITING',
      quantity: 2,
      wishes: [{ sectionNo: null, levelNo: null }],
      wheelchairSeats: 0,
      position: 1,
      holdId: null,
    })
    expect(await waitlist.joined(bob, event)).toMatchObject({ position: 2 })
    expect(await waitlist.joined(ana, event, { quantity: 5 })).toEqual(first)
    expect(await waitlist.list(ana, event.id)).toEqual([first])
    expect(await waitlist.find(bob, first.id)).toBeNull()
    expect(await ask(sale.holds, testAccount(), event, [1])).toMatchObject({ saleState: 'SOLD_OUT' })
  })

  test('makes one entry where one account joins twelve times at once', async () => {
    const { event } = await soldOut()
    const fan = testAccount()
    const entries = await sideBySide(12, 12, () => waitlist.joined(fan, event))
    expect(new Set(entries.map(({ id }) => id)).size).toBe(1)
  })

  test('counts the tickets that the account already has', async () => {
    const event = await newEvent({ sections: [{ seats: 3 }], ticketLimit: 4 })
    const fan = testAccount()
    await sale.pay(fan, await sale.hold(fan, event, [1, 2, 3]))
    const answer = await waitlist.join(fan, { eventId: event.id, quantity: 2 })
    expect(answer).toBeInstanceOf(TicketLimitReached)
    expect(answer).toMatchObject({ limit: 4, used: 3, retryAfterSeconds: null })
    expect(await waitlist.joined(fan, event, { quantity: 1 })).toMatchObject({ state: 'WAITING' })
  })

  test('is refused once the sale has ended', async () => {
    const { event } = await soldOut()
    await database.sql("update sales set ends_at = now() - interval '1 second' where event_id = $1", [
      event.id,
    ])
    const answer = await waitlist.join(testAccount(), { eventId: event.id, quantity: 1 })
    expect(answer).toBeInstanceOf(SaleOver)
    expect(answer).toMatchObject({ saleState: 'ENDED' })
  })

  test('names each invalid input field, and requires a verified e-mail address', async () => {
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

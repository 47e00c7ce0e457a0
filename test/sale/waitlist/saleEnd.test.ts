import { describe, expect, test } from 'vitest'
import { SaleOver } from '../../../src/sale/refusals.ts'
import { eventsWithWaitlist } from '../../../src/sql/waitlist.ts'
import { testAccount } from '../../support/checkout.ts'
import type { TestEvent } from '../../support/event.ts'
import { waitlistScene } from '../../support/waitlist.ts'

const { database, sale, waitlist, soldOut, stateOf, offerOf, insertEntries } = await waitlistScene()

describe('the end of the sale', () => {
  const end = (event: TestEvent) =>
    database.sql("update sales set ends_at = now() - interval '1 second' where event_id = $1", [event.id])

  test('ends the waiting entries, notifies their fans and deletes their addresses; an offer goes on', async () => {
    const { event, cancel } = await soldOut({}, 1)
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

  test('ends 12,000 waiting entries, in batches', async () => {
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

  test('comes a day after the event has begun, where the sale has no end of its own', async () => {
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

import { afterEach, describe, expect, test, vi } from 'vitest'
import { runOut, testAccount, testCheckout } from '../../support/checkout.ts'
import { waitlistScene } from '../../support/waitlist.ts'

const { database, sale, waitlist, soldOut, offerOf, isWaitlistOnly } = await waitlistScene()

afterEach(() => vi.useRealTimers())

describe('leaving the waitlist', () => {
  test('ends the entry, and has no effect the second time', async () => {
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

  test('notifies a subscriber where the offer had already expired', async () => {
    const { event, cancel } = await soldOut({}, 2)
    const ana = testAccount()
    const a = await waitlist.joined(ana, event)
    await cancel(0)
    await waitlist.offer(event.id)
    const updates = waitlist.updates(ana, a.id)
    expect((await updates.next()).value).toMatchObject({ state: 'OFFERED' })
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    const update = updates.next()
    await runOut(database, await offerOf(ana, a.id))
    expect(await waitlist.leave(ana, a.id)).toMatchObject({ state: 'LAPSED' })
    // By a message, and not by the backstop's read: time stands still.
    expect((await update).value).toMatchObject({ state: 'LAPSED' })
  })

  test('gives the account its whole ticket limit back where it had an offer', async () => {
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

  test('ends the offer, which goes to the next entry, but not while the offer is being paid for', async () => {
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
        async confirm(request) {
          leaving = waitlist.leave(bob, b.id)
          expect(await leaving).toMatchObject({ state: 'OFFERED' })
          return provider.confirm(request)
        },
      }),
    })
    expect(await slow.pay(bob, next)).toMatchObject({ state: 'CONFIRMED' })
    await leaving
    expect(await waitlist.leave(bob, b.id)).toMatchObject({ state: 'FULFILLED' })
  })
})

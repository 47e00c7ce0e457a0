import { expect, test } from 'vitest'
import { testAccount } from '../../support/checkout.ts'
import { waitlistScene } from '../../support/waitlist.ts'

const { database, sale, waitlist, soldOut, offerOf } = await waitlistScene()

test('an offer is mailed once, with its seats and its end, and not after its end', async () => {
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
    expect.objectContaining({
      to: ana.email,
      subject: '2 tickets for Test concert, held for you',
      text: expect.stringContaining(`https://tickets.example.com/e/${event.slug}`),
      language: 'en',
    }),
  ])
  await sale.holds.release(ana, (await offerOf(ana, a.id)).id)
  await waitlist.offer(event.id)
  await sale.holds.release(bob, (await offerOf(bob, b.id)).id)
  await waitlist.mailOffer(b.id)
  expect(waitlist.mails).toHaveLength(1)
})

test('a subscriber receives the entry, its offer and its end', async () => {
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

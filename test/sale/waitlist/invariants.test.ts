import { describe, expect, test } from 'vitest'
import { testAccount } from '../../support/checkout.ts'
import { brokenInvariants } from '../../support/invariants.ts'
import { waitlistScene } from '../../support/waitlist.ts'

const { database, waitlist, soldOut, reasonOf } = await waitlistScene()

describe('the invariants of the waitlist find', () => {
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
    expect(await brokenInvariants(database, event.id)).toMatchObject({
      'no waitlist entry is overtaken by an offer that would have fitted it, but for the limit of the account':
        [a.id],
    })
    await setState('LEFT', new Date(0))
  })

  test('an entry whose seats any fan could hold, since nothing demands them', async () => {
    const { event } = await soldOut({}, 1)
    const a = await waitlist.joined(testAccount(), event)
    const demanded = await database.sql('delete from waitlist_demand where event_id = $1 returning need', [
      event.id,
    ])
    expect(demanded).toEqual([{ need: 1 }])
    expect(await brokenInvariants(database, event.id)).toEqual({
      'what a waiting entry wants is demanded, but for the limit of the account': [a.id],
    })
    await waitlist.offer(event.id)
  })
})

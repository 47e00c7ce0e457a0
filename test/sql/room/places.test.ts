import { expect, test } from 'vitest'
import { accountDigest, deviceDigest } from '../../../src/sale/tokens/digests.ts'
import { createJournal, type GivenPlace } from '../../../src/sql/room/journal.ts'
import { leavePlace } from '../../../src/sql/room/places.ts'
import { testDatabase } from '../../support/database.ts'
import { insertEvent } from '../../support/event.ts'

const db = await testDatabase()

test('each place of a batch is returned as the journal has it, whatever the other places are', async () => {
  const event = await insertEvent(db, { waitingRoom: true })
  const place = (arrival: number, account: string, device = `phone of ${account}`): GivenPlace => ({
    eventId: event.id,
    arrival,
    account: accountDigest(event.id, account),
    device: deviceDigest(device),
    copy: 0,
  })
  const journal = createJournal(db)
  const append = (places: GivenPlace[]) => Promise.all(places.map((one) => journal.append(one)))
  const asGiven = ({ device }: GivenPlace) => ({ found: true, device, hasLeft: false, live: null })

  const [ana, bob, eve] = [place(1, 'ana'), place(2, 'bob'), place(70_000, 'eve')]
  expect(await append([ana, bob, eve])).toEqual([ana, bob, eve].map(asGiven))
  await leavePlace(db, event.id, 2, bob.device)

  const [cem, again] = [place(3, 'cem'), place(3, 'cem')]
  const answers = await append([
    cem,
    ana,
    place(1, 'ana', 'tablet'),
    again,
    bob,
    place(1, 'dan'),
    place(4, 'eve'),
    { ...place(5, 'fay'), copy: 8 },
    place(6, 'gil'),
  ])
  expect(answers).toEqual([
    asGiven(cem),
    asGiven(ana),
    asGiven(ana),
    asGiven(cem),
    { ...asGiven(bob), hasLeft: true },
    { found: false, device: null, hasLeft: false, live: null },
    { found: false, device: null, hasLeft: false, live: 70_000 },
    'stale',
    asGiven(place(6, 'gil')),
  ])
  const rows = await db.sql('select arrival from places where event_id = $1 order by arrival', [event.id])
  expect(rows.map(({ arrival }) => arrival)).toEqual([1, 2, 3, 6, 70_000])
})

test('a crowd that waits for the journal leaves room for the joins of another event', async () => {
  const [crowded, small] = [
    await insertEvent(db, { waitingRoom: true }),
    await insertEvent(db, { waitingRoom: true }),
  ]
  const journal = createJournal(db, 200)
  const join = (event: typeof small, arrival: number) =>
    journal
      .append({
        eventId: event.id,
        arrival,
        account: accountDigest(event.id, `fan-${arrival}`),
        device: deviceDigest(`phone-${arrival}`),
        copy: 0,
      })
      .then(
        () => 'journalled',
        () => 'refused',
      )
  const crowd = Array.from({ length: 150 }, (_, i) => join(crowded, i + 1))
  const others = Array.from({ length: 30 }, (_, i) => join(small, i + 1))
  expect(await Promise.all(others)).toEqual(Array(30).fill('journalled'))
  expect((await Promise.all(crowd)).filter((answer) => answer === 'refused')).toHaveLength(50)
  // The room is free again afterwards.
  expect(await join(crowded, 151)).toBe('journalled')
})

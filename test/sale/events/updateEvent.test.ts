import { expect, test } from 'vitest'
import type { Account } from '../../../src/sale/caller.ts'
import { createCatalogue } from '../../../src/sale/catalogue/catalogue.ts'
import { createEvents, type Events } from '../../../src/sale/events/events.ts'
import type { SaleView } from '../../../src/sale/saleView.ts'
import { testDatabase } from '../../support/database.ts'
import { insertEvent } from '../../support/event.ts'

const db = await testDatabase()
const olga: Account = { id: 'olga', email: null, emailVerified: false, roles: new Set(['organizer']) }

/** The catalogue and the events of a process. */
function server() {
  const catalogue = createCatalogue(db)
  const events: Events = createEvents({
    db,
    roomDb: db,
    catalogue,
    eventThread: { readEvent: () => Promise.reject(new Error('not here')) },
    publish() {},
    sales: { refresh: async (eventId) => ({ eventId }) as SaleView },
    waitingRoom: {
      setAdmission: async () => null,
      beaconFault: async () => null,
      revealBeacon: () => Promise.reject(new Error('not here')),
    },
  })
  return { catalogue, events }
}

const first = server()
const second = server()
const appearance = {
  imageUrl: 'https://images.example.com/night.jpg',
  accentColor: '#aa0000',
  presaleText: 'Doors at seven.',
  terms: 'No returns.',
}

test('an owner changes name, performers, venue and looks; every process shows it, and the search finds it', async () => {
  const { id } = await insertEvent(db)
  const known = await second.catalogue.event(id)
  expect(known).toMatchObject({ name: 'Test concert', appearance: null })
  const change = {
    name: 'Zweites Konzert',
    performers: ['Die Ärzte', 'The Testers'],
    venue: { name: 'Arena', city: 'Köln' },
    appearance,
  }
  expect(await first.events.update(olga, { eventId: id, ...change })).toMatchObject({
    name: 'Zweites Konzert',
    performers: ['Die Ärzte', 'The Testers'],
    venueName: 'Arena',
    venueCity: 'Köln',
    appearance,
    sections: [{ capacity: 40 }],
  })
  await expect
    .poll(async () => second.catalogue.event(id), { timeout: 20_000 })
    .toMatchObject({ name: 'Zweites Konzert', venueName: 'Arena', appearance })
  const found = await second.events.search({ search: 'arzte koln', first: 10 })
  expect(found.edges.map(({ node }) => node.id)).toEqual([id])
})

test('a field that is left out stays, a null city or look is removed, and the audit trail has what changed', async () => {
  const { id } = await insertEvent(db)
  await first.events.update(olga, { eventId: id, venue: { city: 'Bonn' }, appearance })
  await first.events.update(olga, { eventId: id, appearance: { terms: null, accentColor: '#00BB00' } })
  const event = await first.events.update(olga, { eventId: id, venue: { city: null }, name: null })
  expect(event).toMatchObject({
    name: 'Test concert',
    performers: ['The Testers'],
    venueName: 'Test hall',
    venueCity: null,
    appearance: { ...appearance, terms: null, accentColor: '#00bb00' },
  })
  expect(
    await db.sql(
      'select action, account_id as account, detail from audit_entries where event_id = $1 order by at, id',
      [id],
    ),
  ).toEqual([
    { action: 'updateEvent', account: 'olga', detail: { venueCity: 'Bonn', appearance } },
    {
      action: 'updateEvent',
      account: 'olga',
      detail: { appearance: { terms: null, accentColor: '#00bb00' } },
    },
    { action: 'updateEvent', account: 'olga', detail: { venueCity: null } },
  ])
})

test('the texts of 20,000 characters of an event do not fill its audit trail', async () => {
  const { id } = await insertEvent(db)
  await first.events.update(olga, { eventId: id, appearance: { terms: 'x'.repeat(20_000) } })
  const [{ length }] = (await db.sql(
    'select length(detail::text)::int as length from audit_entries where event_id = $1',
    [id],
  )) as [{ length: number }]
  expect(length).toBeLessThan(300)
})

test('another organizer finds no such event, and every fault is reported as at the creation', async () => {
  const { id } = await insertEvent(db)
  const otto = { ...olga, id: 'otto' }
  await expect(first.events.update(otto, { eventId: id, name: 'Mine' })).rejects.toMatchObject({
    code: 'BAD_USER_INPUT',
    message: 'input.eventId: there is no such event',
  })
  await expect(
    first.events.update(olga, {
      eventId: id,
      name: '',
      performers: ['', 'x'.repeat(201)],
      venue: { name: ' ', city: 'x'.repeat(201) },
      appearance: { imageUrl: 'http://images.example.com/', accentColor: 'red' },
    }),
  ).rejects.toMatchObject({
    extensions: {
      faults: [
        ['appearance', 'imageUrl'],
        ['appearance', 'accentColor'],
        ['name'],
        ['performers', 0],
        ['performers', 1],
        ['venue', 'name'],
        ['venue', 'city'],
      ].map((path) => ({ path: ['input', ...path], message: expect.any(String) })),
    },
  })
  expect(await first.catalogue.event(id)).toMatchObject({ name: 'Test concert', venueName: 'Test hall' })
})

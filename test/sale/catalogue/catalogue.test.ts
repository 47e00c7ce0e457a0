import { expect, test } from 'vitest'
import { createCatalogue } from '../../../src/sale/catalogue/catalogue.ts'
import { testDatabase } from '../../support/database.ts'
import { insertEvent } from '../../support/event.ts'

const database = await testDatabase()

test('an event that has been read is returned without a promise; an unread or missing event is not', async () => {
  const catalogue = createCatalogue(database)
  const { id } = await insertEvent(database)
  const reading = catalogue.event(id)
  expect(reading).toBeInstanceOf(Promise)
  expect(catalogue.event(id)).toBe(reading)
  const event = await reading
  expect(event).toMatchObject({ id })
  expect(catalogue.event(id)).toBe(event)
  expect(await catalogue.event('evt_nothere')).toBeNull()
  expect(catalogue.event('evt_nothere')).toBeInstanceOf(Promise)
  expect(catalogue.event('no event id')).toBeNull()
})

test('when the cache is full, the events that were used most recently stay in it', async () => {
  const catalogue = createCatalogue(database)
  const events = []
  for (let i = 0; i < 70; i++) events.push(await insertEvent(database, { sections: [{ seats: 1 }] }))
  const [first, second, third, ...others] = events.map(({ id }) => id) as [
    string,
    string,
    string,
    ...string[],
  ]
  for (const id of [first, second, third]) await catalogue.event(id)
  for (const id of others) {
    await catalogue.event(id)
    expect(catalogue.event(first)).toMatchObject({ id: first })
    await catalogue.event(second)
  }
  expect(catalogue.event(second)).toMatchObject({ id: second })
  expect(catalogue.event(third)).toBeInstanceOf(Promise)
})

test('a flood of made-up ids evicts no event from memory', async () => {
  const catalogue = createCatalogue(database)
  const { id } = await insertEvent(database)
  const event = await catalogue.event(id)
  const flood = Array.from({ length: 200 }, (_, i) => catalogue.event(`evt_madeup${i}`))
  expect(catalogue.event(id)).toBe(event)
  expect(await Promise.all(flood)).toEqual(flood.map(() => null))
  expect(catalogue.event(id)).toBe(event)
})

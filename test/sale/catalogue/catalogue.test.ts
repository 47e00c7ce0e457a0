import { expect, test } from 'vitest'
import { createCatalogue } from '../../../src/sale/catalogue/catalogue.ts'
import { testDatabase } from '../../support/database.ts'
import { insertEvent } from '../../support/event.ts'

const database = await testDatabase()

test('an event that was read is known without waiting; one that was not, or that is not there, is not', async () => {
  const catalogue = createCatalogue(database)
  const { id } = await insertEvent(database)
  expect(catalogue.known(id)).toBeNull()
  const reading = catalogue.event(id)
  expect(catalogue.known(id)).toBeNull()
  const event = await reading
  expect(catalogue.known(id)).toBe(event)
  expect(await catalogue.event('evt_nothere')).toBeNull()
  expect(catalogue.known('evt_nothere')).toBeNull()
})

test('of more events than are kept those stay that are asked for, by waiting or not', async () => {
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
    expect(catalogue.known(first)).toMatchObject({ id: first })
    await catalogue.event(second)
  }
  expect(catalogue.known(second)).not.toBeNull()
  expect(catalogue.known(third)).toBeNull()
})

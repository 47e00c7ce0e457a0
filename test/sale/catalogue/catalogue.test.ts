import { expect, test } from 'vitest'
import { inBackground, inForeground } from '../../../src/async/background.ts'
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
  // An event takes 500 seats beside its own.
  const catalogue = createCatalogue(database, { seatsInMemory: 10 * 501 })
  const events = []
  for (let i = 0; i < 15; i++) events.push(await insertEvent(database, { sections: [{ seats: 1 }] }))
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

test('a large plan is whole, and a large event takes the room of many small ones', async () => {
  const catalogue = createCatalogue(database, { seatsInMemory: 7_000 })
  const small = await insertEvent(database, { sections: [{ seats: 20 }] })
  const large = await insertEvent(database, {
    sections: [{ seats: 2_500 }, { seats: 1_500 }, { places: 3_000 }, { seats: 400 }],
  })
  await catalogue.event(small.id)
  for (const read of [inBackground, inForeground]) {
    const event = await read(() => createCatalogue(database).event(large.id))
    expect(event?.sections.map(({ layout }) => layout.length)).toEqual([2_500, 1_500, 0, 400])
    expect(event?.seat(2_501)).toMatchObject({ row: '1', number: '1' })
  }
  const event = await catalogue.event(large.id)
  expect(catalogue.event(large.id)).toBe(event)
  expect(catalogue.event(small.id)).toMatchObject({ id: small.id })
  const next = await insertEvent(database, { sections: [{ seats: 1_500 }] })
  await catalogue.event(next.id)
  expect(catalogue.event(large.id)).toBeInstanceOf(Promise)
})

test('sections and companion seats are known without the plan', async () => {
  const catalogue = createCatalogue(database)
  const { id } = await insertEvent(database, { sections: [{ seats: 40 }, { places: 10 }] })
  expect(await catalogue.sectionRanges(id)).toEqual([
    { no: 1, firstSeat: 1 },
    { no: 2, firstSeat: 41 },
  ])
  expect(catalogue.sectionRanges(id)).not.toBeInstanceOf(Promise)
  expect(await catalogue.companionSeats(id)).toBe(0)
  expect(await catalogue.sectionRanges('evt_nothere')).toEqual([])
  expect(catalogue.event(id)).toBeInstanceOf(Promise)
})

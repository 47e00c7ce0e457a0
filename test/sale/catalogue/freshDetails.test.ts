import { expect, test } from 'vitest'
import type { CatalogueEvent } from '../../../src/sale/catalogue/catalogue.ts'
import { createFreshDetails } from '../../../src/sale/catalogue/freshDetails.ts'
import type { EventDetails } from '../../../src/sql/events/eventDetails.ts'

const details = (name: string): EventDetails => ({
  name,
  performers: [],
  venueName: 'Hall',
  venueCity: null,
  appearance: null,
})
const event = (name: string) => ({ id: 'evt_a', ...details(name) }) as unknown as CatalogueEvent

function setUp() {
  const state = { ms: 0, reads: [] as ((found: EventDetails | Error) => void)[] }
  const fresh = createFreshDetails(
    () =>
      new Promise((resolve, reject) => {
        state.reads.push((found) => (found instanceof Error ? reject(found) : resolve(found)))
      }),
    () => state.ms,
  )
  return { state, fresh, kept: fresh.keep(event('old')) }
}

test('an event in use is returned at once, and its details are read again every two seconds', async () => {
  const { state, fresh, kept } = setUp()
  const first = fresh.current(kept)
  state.ms = 1_999
  expect([fresh.current(kept), state.reads.length]).toEqual([first, 0])
  state.ms = 2_000
  expect(fresh.current(kept)).toBe(first)
  expect(fresh.current(kept)).toBe(first)
  expect(state.reads).toHaveLength(1)
  state.reads[0]?.(details('new'))
  await expect.poll(() => (fresh.current(kept) as CatalogueEvent).name).toBe('new')
})

test('an event without a change stays the same object', async () => {
  const { state, fresh, kept } = setUp()
  const refreshing = fresh.refresh(kept)
  state.reads[0]?.(details('old'))
  await refreshing
  expect(fresh.current(kept)).toEqual(event('old'))
  expect(kept.applied).toBe(1)
})

test('an event that was not in use is read before it is returned, and as it was where the database is away', async () => {
  const { state, fresh, kept } = setUp()
  state.ms = 30_000
  const waiting = fresh.current(kept)
  state.reads[0]?.(details('new'))
  expect(await waiting).toMatchObject({ name: 'new' })
  state.ms = 90_000
  const away = fresh.current(kept)
  state.reads[1]?.(new Error('away'))
  expect(await away).toMatchObject({ name: 'new' })
  // One read at a time: the next comes two seconds later.
  expect([fresh.current(kept), state.reads.length]).toEqual([kept.event, 2])
})

test('a read that began before a change does not undo it', async () => {
  const { state, fresh, kept } = setUp()
  state.ms = 2_000
  fresh.current(kept)
  const refreshing = fresh.refresh(kept)
  state.reads[1]?.(details('new'))
  await refreshing
  state.reads[0]?.(details('old'))
  await expect.poll(() => kept.reads).toBe(2)
  expect(fresh.current(kept)).toMatchObject({ name: 'new' })
})

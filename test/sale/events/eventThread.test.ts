import { afterAll, expect, test } from 'vitest'
import type { EventInput } from '../../../src/sale/events/eventInput.ts'
import { createEventThread } from '../../../src/sale/events/eventThread.ts'
import { readEvent } from '../../../src/sale/events/readEvent.ts'
import { stadium } from '../../support/stadium.ts'

const thread = createEventThread()
afterAll(thread.close)
const ID = 'evt_000000000000'

function inputWith(seatingPlan: unknown, more: Partial<EventInput> = {}): EventInput {
  return {
    slug: 'stadium',
    name: 'The "Night"',
    startsAt: new Date('2099-06-01T19:00:00Z'),
    timeZone: 'Europe/Berlin',
    venue: { name: 'Stadium' },
    seatingPlan,
    prices: ['Lower', 'Middle', 'Upper'].map((category) => ({ category, price: 1_000 })),
    currency: 'EUR',
    sale: { opensAt: new Date('2099-01-01T00:00:00Z') },
    ...more,
  } as EventInput
}

/** The result, and how often the event loop came round meanwhile. */
async function passesDuring<T>(work: Promise<T>): Promise<{ value: T; passes: number }> {
  let passes = 0
  let isOver = false
  const count = () => {
    passes++
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  const value = await work
  isOver = true
  return { value, passes }
}

const plan = stadium({ sections: 10, rows: 10, seatsPerRow: 10 })

test.each([
  ['a large plan', inputWith(plan)],
  ['the text of a large plan', inputWith(JSON.stringify(plan))],
  ['a large plan with faults', inputWith(plan, { slug: 'no slug', prices: [] })],
  [
    'many units of general admission',
    inputWith(null, {
      generalAdmission: [{ key: 'F', name: 'Field', capacity: 20_000 }],
      prices: [{ category: 'F', price: 1_000 }],
    }),
  ],
])('%s is read as on the thread that serves, which goes on meanwhile', async (_, input) => {
  const { value, passes } = await passesDuring(thread.readEvent(input, ID))
  expect(value).toEqual(readEvent(input, ID))
  expect(passes).toBeGreaterThan(5)
})

test('a small plan is read at once', async () => {
  const small = inputWith(stadium({ sections: 3, rows: 3, seatsPerRow: 3 }))
  const { value, passes } = await passesDuring(thread.readEvent(small, ID))
  expect(value).toEqual(readEvent(small, ID))
  expect(passes).toBe(0)
})

test('a body is parsed on the thread too', async () => {
  const body = Buffer.from(JSON.stringify({ query: 'x', variables: { plan } }))
  const { value, passes } = await passesDuring(thread.parseBody(body))
  expect(value).toEqual({ value: { query: 'x', variables: { plan: JSON.stringify(plan) } } })
  expect(passes).toBeGreaterThan(5)
})

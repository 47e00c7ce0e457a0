import { afterAll, expect, test } from 'vitest'
import type { EventInput } from '../../../src/sale/events/eventInput.ts'
import { createEventThread, type EventThread } from '../../../src/sale/events/eventThread.ts'
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

/** Does the work on a thread that is closed at once: what it began on this thread still succeeds. */
function whileClosing<T>(begin: (closing: EventThread) => Promise<T>): Promise<T> {
  const closing = createEventThread()
  const work = begin(closing)
  closing.close()
  return work
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
])('%s is read on a thread, as on the one that serves', async (_, input) => {
  expect(await thread.readEvent(input, ID)).toEqual(readEvent(input, ID))
  await expect(whileClosing(({ readEvent: read }) => read(input, ID))).rejects.toThrow('the process stops')
})

test('a small plan is read at once', async () => {
  const small = inputWith(stadium({ sections: 3, rows: 3, seatsPerRow: 3 }))
  expect(await whileClosing(({ readEvent: read }) => read(small, ID))).toEqual(readEvent(small, ID))
})

test('a body is parsed on the thread too', async () => {
  const body = () => Buffer.from(JSON.stringify({ query: 'x', variables: { plan } }))
  const expected = { value: { query: 'x', variables: { plan: JSON.stringify(plan) } } }
  expect(await thread.parseBody(body())).toEqual(expected)
  await expect(whileClosing(({ parseBody }) => parseBody(body()))).rejects.toThrow('the process stops')
})

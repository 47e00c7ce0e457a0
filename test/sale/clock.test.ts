import { expect, test } from 'vitest'
import { createClock } from '../../src/sale/clock.ts'
import { testDatabase } from '../support/database.ts'

const db = await testDatabase()

test('the clock is the database’s, however far off the machine’s own is', async () => {
  const { now } = Date
  for (const hours of [-1, 1]) {
    Date.now = () => now() + hours * 3_600_000
    try {
      const clock = createClock(db)
      const [before] = await db.sql('select clock_timestamp() as at')
      const told = await clock.now()
      const [after] = await db.sql('select clock_timestamp() as at')
      // The reading took some milliseconds, of which nobody knows the middle.
      expect(told.getTime()).toBeGreaterThanOrEqual(before?.at.getTime() - 1_000)
      expect(told.getTime()).toBeLessThanOrEqual(after?.at.getTime() + 1_000)
    } finally {
      Date.now = now
    }
  }
})

test('it goes on while the database is away, and asks again once it is back', async () => {
  let asked = 0
  const clock = createClock({
    ...db,
    pool: {
      query: async () => {
        if (asked++ > 0) throw new Error('away')
        return { rows: [{ now: new Date(1_000_000) }] }
      },
    } as never,
  })
  const first = await clock.now()
  expect(first.getTime()).toBeGreaterThanOrEqual(1_000_000)
  expect((await clock.now()).getTime()).toBeGreaterThanOrEqual(first.getTime())
  expect(asked).toBe(1)
})

import { expect, test } from 'vitest'
import { createClock } from '../../src/sale/clock.ts'
import { testDatabase } from '../support/database.ts'

const db = await testDatabase()

test('the clock shows the database’s time, however wrong the machine’s own clock is', async () => {
  const { now } = Date
  for (const hours of [-1, 1]) {
    Date.now = () => now() + hours * 3_600_000
    try {
      const clock = createClock(db)
      const [before] = await db.sql('select clock_timestamp() as at')
      const now = await clock.now()
      const [after] = await db.sql('select clock_timestamp() as at')
      // The reading took some milliseconds, so its result is not exact.
      expect(now.getTime()).toBeGreaterThanOrEqual(before?.at.getTime() - 1_000)
      expect(now.getTime()).toBeLessThanOrEqual(after?.at.getTime() + 1_000)
    } finally {
      Date.now = now
    }
  }
})

test('the clock goes on while the database is away', async () => {
  let reads = 0
  const clock = createClock({
    ...db,
    pool: {
      query: async () => {
        if (reads++ > 0) throw new Error('away')
        return { rows: [{ now: new Date(1_000_000) }] }
      },
    } as never,
  })
  const first = await clock.now()
  expect(first.getTime()).toBeGreaterThanOrEqual(1_000_000)
  expect((await clock.now()).getTime()).toBeGreaterThanOrEqual(first.getTime())
  expect(reads).toBe(1)
})

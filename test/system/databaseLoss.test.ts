import { describe, test } from 'vitest'
import { testApps } from '../support/apps.ts'
import { testDatabase } from '../support/database.ts'
import { expectLinesSurvive, type Loss } from '../support/lineLoss.ts'
import { testPostgres } from '../support/postgres.ts'
import { testRedis } from '../support/redis.ts'

const postgres = await testPostgres()
const redis = await testRedis()

const AWAY_MS = 2_000

const losses: Record<string, Loss> = {
  'killed and restarted': { lose: postgres.kill, restore: postgres.restart },
  'hanging for a while': { lose: postgres.hang, restore: async () => postgres.resume() },
}

/** Booking's own database, where the room has another. */
const db = await testDatabase()

describe.each([
  { whose: 'the room’s own database', databaseUrl: db.url },
  { whose: 'the database of room and booking', databaseUrl: postgres.url },
])('$whose', async ({ databaseUrl }) => {
  const startApp = await testApps({ databaseUrl, redisUrl: redis.url, roomDatabaseUrl: postgres.url })
  const apps = [await startApp(), await startApp()] as const
  const takesBooking = databaseUrl === postgres.url

  for (const [name, loss] of Object.entries(losses)) {
    test(`${name}, before the draw, at it and in the middle of the sale: no fan gets in meanwhile, and every fan keeps their place`, () =>
      expectLinesSurvive({ apps, loss: { ...loss, takesBooking }, awayMs: AWAY_MS }))
  }
})

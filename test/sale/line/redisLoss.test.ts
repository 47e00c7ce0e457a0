import { Redis } from 'ioredis'
import { test } from 'vitest'
import { testApps } from '../../support/apps.ts'
import { testDatabase } from '../../support/database.ts'
import { expectLinesSurvive, type Loss } from '../../support/lineLoss.ts'
import { testRedis } from '../../support/redis.ts'

const db = await testDatabase()
// The room's and booking's: what fails the room must not fail those inside.
const redis = await testRedis()
const startApp = await testApps({ databaseUrl: db.url, redisUrl: redis.url })
const apps = [await startApp(), await startApp()] as const

/** Past the 2 s after which a command that hangs is given up. */
const AWAY_MS = 2_500

let older: ReturnType<typeof redis.copy>

const losses: Record<string, Loss> = {
  'killed, and back with what it had': { lose: redis.kill, restore: () => redis.restart('kept') },
  'killed, and back with nothing': { lose: redis.kill, restore: () => redis.restart('lost') },
  'killed, and back with an older copy': {
    copy() {
      older = redis.copy()
    },
    lose: redis.kill,
    restore: () => redis.restart(older),
  },
  'hanging for a while': { lose: redis.hang, restore: async () => redis.resume() },
  flushed: {
    async lose() {
      const admin = new Redis(redis.url)
      await admin.flushall()
      admin.disconnect()
    },
    restore: null,
  },
}

for (const [name, loss] of Object.entries(losses)) {
  test(`Redis ${name}, before the draw, at it and in the middle of the sale: nobody gets in meanwhile, those inside buy, and every place stays`, () =>
    expectLinesSurvive({ apps, loss, awayMs: AWAY_MS }))
}

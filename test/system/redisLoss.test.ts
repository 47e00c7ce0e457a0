import { test } from 'vitest'
import { testApps } from '../support/apps.ts'
import { testDatabase } from '../support/database.ts'
import { expectLinesSurvive, REDIS_AWAY_MS, redisLosses } from '../support/lineLoss.ts'
import { testRedis } from '../support/redis.ts'

const db = await testDatabase()
// The room's and booking's: what fails the room must not fail those inside.
const redis = await testRedis()
const startApp = await testApps({ databaseUrl: db.url, redisUrl: redis.url })
const apps = [await startApp(), await startApp()] as const

for (const [name, loss] of redisLosses(redis)) {
  test(`Redis ${name}, before the draw, at it and in the middle of the sale: nobody gets in meanwhile, those inside buy, and every place stays`, () =>
    expectLinesSurvive({ apps, loss, awayMs: REDIS_AWAY_MS }))
}

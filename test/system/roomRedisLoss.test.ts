import { test } from 'vitest'
import { testApps } from '../support/apps.ts'
import { testDatabase } from '../support/database.ts'
import { expectLinesSurvive, REDIS_AWAY_MS, redisLosses } from '../support/lineLoss.ts'
import { testRedis } from '../support/redis.ts'

const db = await testDatabase()
const redis = await testRedis()
const roomRedis = await testRedis()
const startApp = await testApps({
  databaseUrl: db.url,
  redisUrl: redis.url,
  roomRedisUrl: roomRedis.url,
})
const apps = [await startApp(), await startApp()] as const

for (const [name, loss] of redisLosses(roomRedis)) {
  test(`the room’s own Redis ${name}, before the draw, at it and during the sale: no fan gets in, admitted fans buy, and every fan keeps their place`, () =>
    expectLinesSurvive({ apps, loss, awayMs: REDIS_AWAY_MS }))
}

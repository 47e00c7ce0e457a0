import { expect, test } from 'vitest'
import { testApps } from './support/apps.ts'
import { testDatabase } from './support/database.ts'
import { insertEvent } from './support/event.ts'
import { testRedis } from './support/redis.ts'

const db = await testDatabase()
const redis = await testRedis()
const startApp = await testApps({ databaseUrl: db.url, redisUrl: redis.url })

test('a change that is published just before an orderly stop still reaches the map', async () => {
  const event = await insertEvent(db)
  const [app, other] = [await startApp(), await startApp()]
  expect(await other.seatMap.section(event.id, 1)).toMatchObject({ version: 0 })
  void app.seatMap.publish(event.id, [{ seatNo: 3, status: 1, revision: 1 }])
  await app.close()
  expect(await other.seatMap.latest(event.id, 1)).toBe(1)
})

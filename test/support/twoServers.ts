import { afterAll } from 'vitest'
import { testDatabase } from './database.ts'
import { testRedis } from './redis.ts'
import { testRoom } from './room.ts'

/** Two servers' waiting rooms on one database and one Redis, for one test file. They close after it. */
export async function twoServers() {
  const db = await testDatabase()
  const redis = await testRedis()
  const first = await testRoom({ db, redisUrl: redis.url })
  const second = await testRoom({ db: db.another(), redisUrl: redis.url })
  afterAll(() => {
    first.close()
    second.close()
  })
  return { db, redis, first, second }
}

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { testApps } from '../support/apps.ts'
import { testDatabase } from '../support/database.ts'
import { APP, expectConsistentLine, modelLine, PROCESSES, rounds, type World } from '../support/lineModel.ts'
import { LONG } from '../support/long.ts'
import { printedSeed } from '../support/random.ts'
import { testRedis } from '../support/redis.ts'

const db = await testDatabase()
const redis = await testRedis()
const start = await testApps({ databaseUrl: `${db.url}?application_name=${APP}`, redisUrl: redis.url })
const apps = await Promise.all(Array.from({ length: PROCESSES }, start))
const world: World = { db, redis, start, apps }

test('whatever happens in whatever order, no fan loses their place, has two places, or gets in out of order', async () => {
  let called = 0
  await fc.assert(
    fc.asyncProperty(rounds, async (steps) => {
      const model = await modelLine(world)
      for (const round of steps) await Promise.all(round.map(model.perform))
      await expectConsistentLine(model, world)
      called += (await model.roomNow()).admittedUpTo
    }),
    { numRuns: LONG ? 6 : 2, endOnFailure: true, seed: printedSeed() },
  )
  // Something has happened at all.
  expect(called).toBeGreaterThan(0)
})

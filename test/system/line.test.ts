import fc from 'fast-check'
import { expect, test } from 'vitest'
import { testApps } from '../support/apps.ts'
import { testDatabase } from '../support/database.ts'
import { APP, expectConsistentLine, modelLine, PROCESSES, rounds, type World } from '../support/lineModel.ts'
import { testRedis } from '../support/redis.ts'

const db = await testDatabase()
const redis = await testRedis()
const start = await testApps({ databaseUrl: `${db.url}?application_name=${APP}`, redisUrl: redis.url })
const apps = await Promise.all(Array.from({ length: PROCESSES }, start))
const world: World = { db, redis, start, apps }

/** Printed, and taken from SEED where that is set: the same steps again; how those of one moment interleave is the machines'. */
const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))
console.log(`SEED=${seed}`)

test('whatever happens in whatever order, nobody is lost, nobody is there twice, and nobody gets in out of turn', async () => {
  let called = 0
  await fc.assert(
    fc.asyncProperty(rounds, async (steps) => {
      const model = await modelLine(world)
      for (const round of steps) await Promise.all(round.map(model.perform))
      await expectConsistentLine(model, world)
      called += (await model.roomNow()).admittedUpTo
    }),
    { numRuns: 6, endOnFailure: true, seed },
  )
  // That anything happened at all.
  expect(called).toBeGreaterThan(0)
})

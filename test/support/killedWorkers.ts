import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, expect } from 'vitest'
import { type RunningJobs, startJobs } from '../../src/jobs/index.ts'
import type { JobApp } from '../../src/jobs/kit.ts'
import type { Account } from '../../src/sale/caller.ts'
import type { HoldView } from '../../src/sale/holds/holdView.ts'
import { testDatabase } from './database.ts'
import type { TestEvent } from './event.ts'
import { expectInvariants } from './invariants.ts'
import { QUICK, testJobApp, until } from './jobs.ts'
import { LONG } from './long.ts'
import { seededRandom } from './random.ts'
import { testRedis } from './redis.ts'
import { workersToKill } from './workerToKill.ts'

/** The database, the Redis and the app of a test file that kills workers. Call it once in the file. */
export async function killedWorkers() {
  const random = seededRandom()
  const db = await testDatabase()
  const redis = await testRedis()
  const app = await testJobApp(db.url, redis.url)
  let jobs: RunningJobs | undefined

  afterEach(async () => {
    await jobs?.close(5_000)
    jobs = undefined
    await app.redis.flushall()
    await db.sql('delete from dead_letters')
    await db.sql('delete from sales')
  })
  afterAll(() => app.close())

  return {
    db,
    app,
    kill: workersToKill(db.url, redis.url),

    /**
     * One of the points at which a job's worker is killed; in npm run test:long all of them. Each kill costs some two seconds of
     * a core, and the seed of a run repeats its choice.
     */
    killPoints<Point extends string>(...points: Point[]): Point[] {
      return LONG ? points : [points[Math.floor(random() * points.length)] as Point]
    },

    /** Starts another worker, which takes over from the killed one. */
    async carryOn(other: JobApp = app) {
      jobs = await startJobs(other, { timings: QUICK })
    },

    async hold(account: Account, event: TestEvent, seatNos: number[]): Promise<HoldView> {
      return (await app.holds.hold(
        { account, deviceId: null, admissionToken: null },
        {
          eventId: event.id,
          seats: seatNos.map(event.seatId),
          idempotencyKey: randomUUID(),
        },
      )) as HoldView
    },

    async expectSettled(event: TestEvent) {
      // A job may run, and a test see its effect, before the relay's transaction has deleted the row.
      await until(async () => (await db.sql('select * from outbox')).length === 0, 'the relay')
      await expectInvariants(db, event.id)
      expect(await db.sql('select * from dead_letters')).toEqual([])
      expect((await app.reconciliation.of(event.id)).findings).toEqual([])
    },
  }
}

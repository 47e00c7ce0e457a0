import { afterAll, afterEach, expect, test } from 'vitest'
import { type RunningJobs, startJobs } from '../../src/jobs/index.ts'
import { testDatabase } from '../support/database.ts'
import { insertEvent } from '../support/event.ts'
import { QUICK, testJobApp, until } from '../support/jobs.ts'
import { insertQuietEvents } from '../support/quietEvents.ts'
import { testRedis } from '../support/redis.ts'
import { fan, fillLine, whenReady } from '../support/room.ts'

const QUIET = 1_300
const ROUNDS = 6

const db = await testDatabase()
const redis = await testRedis()
const app = await testJobApp(db.url, redis.url)
let jobs: RunningJobs | undefined
await whenReady(app.roomRedis)
afterEach(async () => {
  await jobs?.close(5_000)
  jobs = undefined
})
afterAll(() => app.close())

/** Counts the runs of jobs, and the statements and commands by which the worker works, until the hot event has ticked. */
async function countWork(hot: string) {
  const ran = new Map<string, number>()
  const touched = new Set<string>()
  let ticks = 0
  const { tick } = app.pacer
  const { rebuildHot } = app.seatMap
  const { sweep } = app.holds
  jobs = await startJobs(
    {
      ...app,
      pacer: {
        async tick(eventId) {
          touched.add(eventId)
          const done = await tick(eventId)
          if (eventId === hot && done) ticks++
          return done
        },
      },
      seatMap: {
        ...app.seatMap,
        rebuildHot(eventId) {
          touched.add(eventId)
          return rebuildHot(eventId)
        },
      },
      holds: {
        sweep(eventId) {
          touched.add(eventId)
          return sweep(eventId)
        },
      },
    },
    {
      timings: QUICK,
      metrics: {
        ran: (job) => void ran.set(job, (ran.get(job) ?? 0) + 1),
        stalled() {},
        replaced() {},
      },
    },
  )
  await until(() => ticks >= 1, 'the first tick')
  const from = { ticks, transactions: await transactions(), rounds: ran.get('callPlaces') ?? 0 }
  await until(() => ticks >= from.ticks + ROUNDS, 'ticks of the hot event')
  const rounds = (ran.get('callPlaces') ?? 0) - from.rounds
  const counts = await app.queues.counts()
  const schedules = await Promise.all(
    Object.keys(counts).map(async (job) => (await app.queues.schedules.list(job)).size),
  )
  const statements = (await transactions()) - from.transactions
  await jobs.close(5_000)
  jobs = undefined
  return {
    touched,
    schedules: schedules.reduce((sum, size) => sum + size, 0),
    jobs: Object.values(counts).reduce(
      (sum, { waiting, active, delayed }) => sum + waiting + active + delayed,
      0,
    ),
    /** Transactions of the database for each round: each statement outside of a transaction is one. */
    statementsARound: statements / rounds,
  }
}

/** A backend reports its transactions at most once a second, and at once when asked. */
async function transactions(): Promise<number> {
  const [row] = await db.sql(
    `select (xact_commit + xact_rollback)::int as count from pg_stat_database where datname = current_database()`,
  )
  return row?.count
}

test('1,300 quiet events add no schedule, no job and no statement to a hot one', async () => {
  const hot = await insertEvent(db, { waitingRoom: true, rate: 2, sections: [{ seats: 400 }] })
  await fillLine(
    app,
    hot.id,
    Array.from({ length: 200 }, () => fan()),
  )
  const alone = await countWork(hot.id)
  const quiet = await insertQuietEvents(db, QUIET)
  expect(await app.sales.active()).toHaveLength(QUIET + 1)
  const among = await countWork(hot.id)

  expect([...among.touched].filter((eventId) => quiet.includes(eventId))).toEqual([])
  expect(among.touched).toContain(hot.id)
  expect(among.schedules).toBe(alone.schedules)
  expect(among.jobs).toBeLessThan(2 * among.schedules + 10)
  // The noise is that of rounds with other intervals. 1,300 events would be hundreds of statements a round.
  expect(among.statementsARound).toBeLessThan(2 * alone.statementsARound + 20)
}, 120_000)

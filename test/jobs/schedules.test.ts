import pino from 'pino'
import { afterAll, beforeEach, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { definePeriodic, type Job } from '../../src/jobs/kit.ts'
import { createJobQueues } from '../../src/jobs/queues.ts'
import { createScheduleKeeper } from '../../src/jobs/schedules.ts'
import { connectForCommands } from '../../src/redis/connect.ts'
import { until } from '../support/jobs.ts'
import { testRedis } from '../support/redis.ts'

const server = await testRedis()
const log = pino({ enabled: false })
const redis = connectForCommands(server.url)

function job(everyMs: number): Job {
  return definePeriodic({
    name: 'ring',
    data: z.strictObject({ eventId: z.string() }),
    concurrency: 4,
    subject: ({ eventId }) => eventId,
    schedules: (active) => active.map((eventId) => ({ everyMs, data: { eventId } })),
    async run() {},
  })
}

const jobs = [job(60_000)]
/** Longer than the next run of a one-minute schedule may stay the same. */
const TOO_LONG_MS = 241_000
const queues = createJobQueues({ redisUrl: server.url, jobs, log })
await until(() => queues.counts().catch(() => undefined), 'Redis')

const newKeeper = (kept = jobs) => createScheduleKeeper({ jobs: kept, queues, log })
let keep = newKeeper()

beforeEach(async () => {
  await redis.flushall()
  keep = newKeeper()
})
afterAll(async () => {
  await queues.close()
  redis.disconnect()
})

const ids = async () => [...(await queues.schedules.list('ring')).keys()].sort()
const nextRun = async () => (await queues.schedules.list('ring')).get('evt_a-60000ms') as number
const jobsInQueue = async () => {
  const { waiting, delayed } = (await queues.counts()).ring ?? { waiting: 0, delayed: 0 }
  return waiting + delayed
}

test('each open event has a schedule, and loses it when it ends', async () => {
  await keep(['evt_a', 'evt_b'])
  expect(await ids()).toEqual(['evt_a-60000ms', 'evt_b-60000ms'])
  await keep(['evt_b', 'evt_c'])
  expect(await ids()).toEqual(['evt_b-60000ms', 'evt_c-60000ms'])
  await keep([])
  expect(await ids()).toEqual([])
  expect(await jobsInQueue()).toBe(0)
})

test('a schedule that works is left alone', async () => {
  await keep(['evt_a'])
  const before = await queues.schedules.list('ring')
  for (let i = 0; i < 5; i++) await keep(['evt_a'])
  expect(await queues.schedules.list('ring')).toEqual(before)
  expect(await jobsInQueue()).toBe(1)
})

test('many keepers at once create one run for each event', async () => {
  await Promise.all(Array.from({ length: 20 }, () => newKeeper()(['evt_a', 'evt_b'])))
  expect(await ids()).toEqual(['evt_a-60000ms', 'evt_b-60000ms'])
  expect(await jobsInQueue()).toBe(2)
})

test('another interval replaces the schedule', async () => {
  await keep(['evt_a'])
  await newKeeper([job(2_000)])(['evt_a'])
  expect(await ids()).toEqual(['evt_a-2000ms'])
})

/** Does `work` as if `ms` had passed by performance.now(); `Date` is unchanged. */
async function later(ms: number, work: () => Promise<void>) {
  const now = performance.now.bind(performance)
  vi.spyOn(performance, 'now').mockImplementation(() => now() + ms)
  await work().finally(() => vi.restoreAllMocks())
}

test('a schedule whose next run was lost is restarted', async () => {
  await keep(['evt_a'])
  const everything = await redis.keys('fg:jobs:ring:repeat:evt_a-60000ms:*')
  // A worker that dies between the start of a run and the creation of the next one leaves no run behind.
  await redis.del('fg:jobs:ring:wait', 'fg:jobs:ring:delayed', ...everything)
  await keep(['evt_a'])
  expect(await jobsInQueue()).toBe(0)
  await later(TOO_LONG_MS, () => keep(['evt_a']))
  expect(await jobsInQueue()).toBe(1)
})

test('a schedule whose next run changes is left alone, however late the run is by this process’s clock', async () => {
  await keep(['evt_a'])
  for (const hours of [1, -1, 0]) {
    const at = Date.now() + hours * 3_600_000
    await redis.zadd('fg:jobs:ring:repeat', at, 'evt_a-60000ms')
    await later(TOO_LONG_MS, () => keep(['evt_a']))
    expect(await nextRun()).toBe(at)
  }
})

test('a schedule that lies an hour ahead, by the clock of a lost worker, is set back to now', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 })
  await keep(['evt_a']).finally(() => vi.useRealTimers())
  expect(await nextRun()).toBeGreaterThan(Date.now() + 3_000_000)
  await keep(['evt_a'])
  await later(TOO_LONG_MS, () => keep(['evt_a']))
  expect(await nextRun()).toBeLessThanOrEqual(Date.now())
  expect(await jobsInQueue()).toBe(1)
})

test('with Redis away a round fails within its deadline, and a later round works', async () => {
  await server.kill()
  await expect(keep(['evt_a'])).rejects.toThrow('the queues cannot be reached')
  await server.restart('lost')
  await until(
    () =>
      keep(['evt_a']).then(
        () => true,
        () => false,
      ),
    'Redis',
  )
  expect(await ids()).toEqual(['evt_a-60000ms'])
})

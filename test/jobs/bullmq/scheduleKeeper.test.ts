import pino from 'pino'
import { afterAll, beforeEach, expect, test, vi } from 'vitest'
import { createJobQueues } from '../../../src/jobs/bullmq/queues.ts'
import { createScheduleKeeper } from '../../../src/jobs/bullmq/scheduleKeeper.ts'
import { definePeriodic, type Job } from '../../../src/jobs/kit.ts'
import { connectForCommands } from '../../../src/redis/connect.ts'
import { until } from '../../support/jobs.ts'
import { testRedis } from '../../support/redis.ts'

const server = await testRedis()
const log = pino({ enabled: false })
const redis = connectForCommands(server.url)

function job(everyMs: number, name = 'ring'): Job {
  return definePeriodic({ name, everyMs, async run() {} })
}

const jobs = [job(60_000), job(60_000, 'bell')]
/** Longer than the next run of a one-minute schedule may stay the same. */
const TOO_LONG_MS = 241_000
const queues = createJobQueues({ redisUrl: server.url, jobs, log })
await until(() => queues.counts().catch(() => undefined), 'Redis')

const newKeeper = (kept = jobs, logger = log) => createScheduleKeeper({ jobs: kept, queues, log: logger })
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
const nextRun = async () => (await queues.schedules.list('ring')).get('all-60000ms') as number
const jobsInQueue = async () => {
  const { waiting, delayed } = (await queues.counts()).ring ?? { waiting: 0, delayed: 0 }
  return waiting + delayed
}

test('each job has one schedule; those of another version, one for each event, are removed', async () => {
  await queues.schedules.put('ring', 'evt_a-60000ms', 60_000, { eventId: 'evt_a' })
  await queues.schedules.put('ring', 'evt_b-60000ms', 60_000, { eventId: 'evt_b' })
  await keep()
  expect(await ids()).toEqual(['all-60000ms'])
  expect([...(await queues.schedules.list('bell')).keys()]).toEqual(['all-60000ms'])
  expect(await jobsInQueue()).toBe(1)
})

test('a schedule that works is left alone', async () => {
  await keep()
  const before = await queues.schedules.list('ring')
  for (let i = 0; i < 5; i++) await keep()
  expect(await queues.schedules.list('ring')).toEqual(before)
  expect(await jobsInQueue()).toBe(1)
})

test('many keepers at once create one run', async () => {
  await Promise.all(Array.from({ length: 20 }, () => newKeeper()()))
  expect(await ids()).toEqual(['all-60000ms'])
  expect(await jobsInQueue()).toBe(1)
})

test('another interval replaces the schedule', async () => {
  await keep()
  await newKeeper([job(2_000)])()
  expect(await ids()).toEqual(['all-2000ms'])
})

/** Does `work` as if `ms` had passed by performance.now(); `Date` is unchanged. */
async function later(ms: number, work: () => Promise<void>) {
  const now = performance.now.bind(performance)
  vi.spyOn(performance, 'now').mockImplementation(() => now() + ms)
  await work().finally(() => vi.restoreAllMocks())
}

test('a schedule whose next run was lost is restarted', async () => {
  await keep()
  const everything = await redis.keys('fg:jobs:ring:repeat:all-60000ms:*')
  // A worker that dies between the start of a run and the creation of the next one leaves no run behind.
  await redis.del('fg:jobs:ring:wait', 'fg:jobs:ring:delayed', ...everything)
  await keep()
  expect(await jobsInQueue()).toBe(0)
  await later(TOO_LONG_MS, () => keep())
  expect(await jobsInQueue()).toBe(1)
})

test('stuck schedules are logged at most once a minute, with their number', async () => {
  const lines: { jobs: string[]; restarts: number }[] = []
  const logger = pino({ level: 'warn' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const keep = newKeeper([job(100), job(100, 'bell')], logger)
  // No worker runs. Every second round, a next run has not changed for six seconds: both schedules are stuck.
  for (let round = 0; round <= 40; round++) await later(6_000 * round, keep)
  expect(lines[0]).toMatchObject({ jobs: ['ring', 'bell'], restarts: 2 })
  expect(lines.length).toBeGreaterThan(1)
  expect(lines.length).toBeLessThanOrEqual(5)
  const restarts = lines.reduce((sum, line) => sum + line.restarts, 0)
  expect(restarts).toBeGreaterThan(30)
})

test('a schedule whose next run changes is left alone, however late the run is by this process’s clock', async () => {
  await keep()
  for (const hours of [1, -1, 0]) {
    const at = Date.now() + hours * 3_600_000
    await redis.zadd('fg:jobs:ring:repeat', at, 'all-60000ms')
    await later(TOO_LONG_MS, () => keep())
    expect(await nextRun()).toBe(at)
  }
})

test('a schedule that lies an hour ahead, by the clock of a lost worker, is set back to now', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 })
  await keep().finally(() => vi.useRealTimers())
  expect(await nextRun()).toBeGreaterThan(Date.now() + 3_000_000)
  await keep()
  await later(TOO_LONG_MS, () => keep())
  expect(await nextRun()).toBeLessThanOrEqual(Date.now())
  expect(await jobsInQueue()).toBe(1)
})

test('with Redis away a round fails within its deadline, and a later round works', async () => {
  await server.kill()
  await expect(keep()).rejects.toThrow('the queues cannot be reached')
  await server.restart('lost')
  await until(
    () =>
      keep().then(
        () => true,
        () => false,
      ),
    'Redis',
  )
  expect(await ids()).toEqual(['all-60000ms'])
})

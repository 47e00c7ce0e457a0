import pino from 'pino'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import { definePeriodic, type Job } from '../../src/jobs/kit.ts'
import { createJobQueues } from '../../src/jobs/queues.ts'
import { keepSchedules } from '../../src/jobs/schedules.ts'
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
const queues = createJobQueues({ redisUrl: server.url, jobs, log })
await until(() => queues.counts().catch(() => undefined), 'Redis')

beforeEach(() => redis.flushall())
afterAll(async () => {
  await queues.close()
  redis.disconnect()
})

const keep = (active: string[], kept = jobs) => keepSchedules({ jobs: kept, queues, active, log })
const ids = async () => [...(await queues.schedules.list('ring')).keys()].sort()
const jobsInQueue = async () => {
  const { waiting, delayed } = (await queues.counts()).ring ?? { waiting: 0, delayed: 0 }
  return waiting + delayed
}

test('each event that is on has one, and one that ends loses it', async () => {
  await keep(['evt_a', 'evt_b'])
  expect(await ids()).toEqual(['evt_a-60000ms', 'evt_b-60000ms'])
  await keep(['evt_b', 'evt_c'])
  expect(await ids()).toEqual(['evt_b-60000ms', 'evt_c-60000ms'])
  await keep([])
  expect(await ids()).toEqual([])
})

test('what is in place is left alone', async () => {
  await keep(['evt_a'])
  const before = await queues.schedules.list('ring')
  for (let i = 0; i < 5; i++) await keep(['evt_a'])
  expect(await queues.schedules.list('ring')).toEqual(before)
  expect(await jobsInQueue()).toBe(1)
})

test('many keepers at once make one run, not many', async () => {
  await Promise.all(Array.from({ length: 20 }, () => keep(['evt_a', 'evt_b'])))
  expect(await ids()).toEqual(['evt_a-60000ms', 'evt_b-60000ms'])
  expect(await jobsInQueue()).toBe(2)
})

test('another interval replaces the schedule', async () => {
  await keep(['evt_a'])
  await keep(['evt_a'], [job(2_000)])
  expect(await ids()).toEqual(['evt_a-2000ms'])
})

test('one whose next run was lost is started anew', async () => {
  await keep(['evt_a'])
  const everything = await redis.keys('fg:jobs:ring:repeat:evt_a-60000ms:*')
  // As a worker leaves it that dies after it took the run and before it made the next: nothing waits any more.
  await redis.del('fg:jobs:ring:wait', 'fg:jobs:ring:delayed', ...everything)
  await redis.zadd('fg:jobs:ring:repeat', Date.now() - 181_000, 'evt_a-60000ms')
  expect(await jobsInQueue()).toBe(0)
  await keep(['evt_a'])
  expect(await jobsInQueue()).toBe(1)
})

test('with Redis away a round fails within its deadline, and the next one works', async () => {
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

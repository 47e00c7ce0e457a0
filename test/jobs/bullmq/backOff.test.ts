import { EventEmitter, once } from 'node:events'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { createBackOff } from '../../../src/jobs/bullmq/backOff.ts'
import { JOBS, startJobs } from '../../../src/jobs/index.ts'
import { cleanUp } from '../../support/cleanUp.ts'
import { testDatabase } from '../../support/database.ts'
import { QUICK, testJobApp } from '../../support/jobs.ts'
import { testRedis } from '../../support/redis.ts'

test('a worker whose every command fails is paused, and runs again later', async () => {
  const events = new EventEmitter()
  const worker = {
    async pause() {
      events.emit('paused')
    },
    resume: () => void events.emit('resumed'),
    isRunning: () => false,
  }
  const failed = createBackOff(worker, () => true)
  const paused = once(events, 'paused')
  for (let i = 0; i < 10; i++) failed()
  const resumed = once(events, 'resumed')
  failed()
  await paused
  await resumed
})

test('where Redis refuses every command, the errors of the jobs are few, and not one loop after the other', async () => {
  const db = await testDatabase()
  // Its slots belong to no server: it refuses every command that names a key.
  const cluster = await testRedis({ 'cluster-enabled': 'yes' })
  const app = await testJobApp(db.url, cluster.url)
  let lines = 0
  const twoSeconds = Promise.withResolvers<void>()
  const log = pino(
    { level: 'warn' },
    {
      write() {
        if (lines++ === 0) setTimeout(twoSeconds.resolve, 2_000)
      },
    },
  )
  const jobs = await startJobs({ ...app, log }, { timings: QUICK })
  cleanUp(async () => {
    await jobs.close(0)
    await app.close()
  })
  await twoSeconds.promise
  // Each job's worker was paused twice, after eleven errors. The keeper of the schedules adds a few.
  expect(lines).toBeLessThan(JOBS.length * 11 * 2 + 50)
})

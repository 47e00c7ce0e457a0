import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { loop } from '../async/loop.ts'
import { connectForWaiting } from '../redis/connect.ts'
import { analyzeGrown } from './analyzeGrown.ts'
import { createScheduleKeeper } from './bullmq/scheduleKeeper.ts'
import { type JobMetrics, startWorker, TIMINGS, type Timings } from './bullmq/workers.ts'
import { callPlaces } from './callPlaces.ts'
import { expireHolds } from './expireHolds.ts'
import type { Job, JobApp } from './kit.ts'
import { emitMails } from './mails/emitMails.ts'
import { mailOffer } from './mails/mailOffer.ts'
import { sendMail } from './mails/sendMail.ts'
import { sendTurnAlerts } from './mails/sendTurnAlerts.ts'
import { offerWaitlist } from './offerWaitlist.ts'
import { cancelPayment } from './payments/cancelPayment.ts'
import { capturePayment } from './payments/capturePayment.ts'
import { endLostOrders } from './payments/endLostOrders.ts'
import { refundEvents } from './payments/refundEvents.ts'
import { refundPayment } from './payments/refundPayment.ts'
import { settleOrders } from './payments/settleOrders.ts'
import { rebuildMaps } from './rebuildMaps.ts'
import { relayOutbox, relayWhenNudged } from './relayOutbox.ts'
import { removeMaps } from './removeMaps.ts'
import { replayDeadLetters } from './replayDeadLetters.ts'
import { sweepDeadLetters } from './sweepDeadLetters.ts'
import { watchWaitlists } from './watchWaitlists.ts'

/** The list of all jobs. */
export const JOBS: readonly Job[] = [
  callPlaces,
  expireHolds,
  analyzeGrown,
  relayOutbox,
  capturePayment,
  cancelPayment,
  refundPayment,
  refundEvents,
  settleOrders,
  endLostOrders,
  offerWaitlist,
  watchWaitlists,
  mailOffer,
  emitMails,
  sendMail,
  sendTurnAlerts,
  rebuildMaps,
  removeMaps,
  sweepDeadLetters,
  replayDeadLetters,
]

export interface JobsOptions {
  metrics?: JobMetrics
  timings?: Timings
}

export interface RunningJobs {
  /** Takes no more work, waits up to `deadlineMs` for the current runs, and cuts off the rest: those run again. */
  close(deadlineMs: number): Promise<void>
}

const NO_METRICS: JobMetrics = { ran() {}, stalled() {}, replaced() {} }

/**
 * Runs every job in this process until it is closed. Any number of processes may do so. While Redis is away, the jobs
 * wait for it.
 */
export async function startJobs(
  app: JobApp,
  { metrics = NO_METRICS, timings = TIMINGS }: JobsOptions = {},
): Promise<RunningJobs> {
  const { log, queues } = app
  const { redisUrl } = app.env
  await untilRedisAnswers(redisUrl, log)
  const onTrouble = (error: unknown) => log.warn({ err: error }, 'jobs wait for Redis')
  const workers = JOBS.map((job) => startWorker({ job, app, redisUrl, metrics, timings, onTrouble }))
  const keepSchedules = createScheduleKeeper({ jobs: JOBS, queues, log })
  const keeper = loop(1_000, keepSchedules, (error) => log.warn({ err: error }, 'schedules not checked'))
  const stuckCheck = loop(
    5_000,
    async () => {
      await Promise.all(workers.map((worker) => worker.replaceIfStuck()))
    },
    (error) => log.debug({ err: error }, 'workers not checked'),
  )
  const stopRelay = relayWhenNudged(app)

  return {
    async close(deadlineMs) {
      const drained = Promise.allSettled([
        keeper.stop(),
        stuckCheck.stop(),
        stopRelay(),
        ...workers.map((worker) => worker.drain()),
      ])
      await Promise.race([drained, sleep(deadlineMs, undefined, { ref: false })])
      for (const worker of workers) worker.cut()
    },
  }
}

/** Waits for Redis, for five seconds at most: workers that start without it are slow to begin once it is there. */
async function untilRedisAnswers(url: string, log: Logger): Promise<void> {
  const redis = connectForWaiting(url)
  try {
    const away = sleep(5_000, 'away' as const, { ref: false })
    if ((await Promise.race([redis.ping(), away])) === 'away') log.warn('jobs wait for Redis')
  } finally {
    redis.disconnect()
  }
}

import { setTimeout as sleep } from 'node:timers/promises'
import { DelayedError, UnrecoverableError, Worker } from 'bullmq'
import type { Redis } from 'ioredis'
import { connectForWaiting } from '../../redis/connect.ts'
import { QUEUE_PREFIX } from '../../redis/keys.ts'
import { isRedisOutage } from '../../redis/outage.ts'
import { withoutSecretsText } from '../../withoutSecrets.ts'
import { FailedForGood, type Job, type JobApp, type Periodic, RunLater, type Task } from '../kit.ts'
import { createPieces, withTimeout } from '../pieces.ts'
import { createBackOff } from './backOff.ts'
import { toFailure } from './bullJobs.ts'

/** How a run ended: `failed` is retried, `dead` is not; `later` and `skipped` did nothing. */
export type Outcome = 'done' | 'failed' | 'dead' | 'later' | 'skipped'

/** Counts what happens to jobs. */
export interface JobMetrics {
  ran(job: string, outcome: Outcome, seconds: number): void
  /** A run lost its lock, since its process died or hung. It starts again. */
  stalled(job: string): void
  /** A worker that was idle while work waited was replaced. */
  replaced(job: string): void
}

export interface Timings {
  /** A run whose lock is not renewed for this time has died. No process may block its event loop for as long. */
  lockMs: number
  /** The interval of the check for dead runs. */
  stalledCheckMs: number
}

// If a process dies during a tick, its room would pause for up to the sum of both, without the keeper of the
// schedules. BullMQ's defaults are 30 s each.
export const TIMINGS: Timings = { lockMs: 10_000, stalledCheckMs: 5_000 }

/** A job whose process dies more often than this may be the cause: it fails for good. */
const MAX_STALLED = 3

/** Redis answers a ping in far less, also while it is busy. */
const PING_MS = 2_000

export interface WorkerOptions {
  job: Job
  app: JobApp
  redisUrl: string
  metrics: JobMetrics
  timings: Timings
  /** Called each time Redis cannot be reached: a dozen times a second while it is away. */
  onTrouble(error: unknown): void
}

export interface RunningWorker {
  readonly job: string
  /**
   * Replaces BullMQ's worker if from one call to the next its connection was silent, or work waited and the worker took none.
   * The latter happens after Redis restarts (bullmq 2964, 2466); a connection is silent where a firewall has forgotten it. A
   * lone worker whose fetch got no answer would wait for ever: the job counts as running. Call it every few seconds.
   */
  replaceIfStuck(): Promise<void>
  /** Takes no more work, and waits for the current runs. */
  drain(): Promise<void>
  /** Cuts the connections. Unfinished runs start again in another process. */
  cut(): void
}

export function startWorker({
  job,
  app,
  redisUrl,
  metrics,
  timings,
  onTrouble,
}: WorkerOptions): RunningWorker {
  const log = app.log.child({ job: job.name })
  const pieces = createPieces(job.concurrency)
  // A second run of a job whose pieces outlive it: it finds work while the first one waits for its slow pieces.
  const slots = job.kind === 'task' ? job.concurrency : job.outlivesRun ? 2 : 1
  let isFinding = false
  let isDraining = false
  let running = 0
  let startedSinceCheck = false
  let waitedAtLastCheck = false
  let silentAtLastCheck = false

  function report(error: Error) {
    if (isRedisOutage(error)) onTrouble(error)
    else log.warn({ err: error }, 'worker')
  }

  async function run(data: unknown): Promise<Outcome> {
    if (job.kind === 'periodic') return round(job)
    return withTimeout(perform(job, data))
  }

  async function perform(task: Task, data: unknown): Promise<Outcome> {
    const { subject, run } = task.read(data)
    const standing = await app.deadLetters.standing(task.name, subject)
    if (standing === 'discarded' && task.once) return 'skipped'
    await run(app)
    // The work is done, so its letters of before are settled. If this fails, the next sweep repeats it.
    if (standing === 'open') {
      await app.deadLetters
        .succeeded(task.name, subject)
        .catch((error) => log.warn({ err: error }, 'dead letters not settled yet'))
    }
    return 'done'
  }

  async function round(job: Periodic): Promise<Outcome> {
    // While the database is slow, one run in this process looks for work, and its successors end at once.
    if (isFinding) return 'skipped'
    isFinding = true
    const found = await withTimeout(job.find(app)).finally(() => {
      isFinding = false
    })
    if (isDraining) return 'skipped'
    const { added, done } = pieces.add(found)
    if (added === 0 && found.length > 0) return 'skipped'
    const all = done.then((failed) => {
      const [first] = failed
      if (!first) return 'done' as const
      // One line for all of them: a store that is away fails every event, each second.
      log.warn({ err: first.error, subject: first.subject, failed: failed.length, of: added }, 'job failed')
      return 'failed' as const
    })
    if (!job.outlivesRun) return all
    const late = sleep(job.everyMs, 'done' as const, { ref: false })
    return Promise.race([all, late])
  }

  function open() {
    const redis = connectForWaiting(redisUrl, { onError: report })
    const worker = new CuttableWorker(
      job.name,
      async (bull, token) => {
        startedSinceCheck = true
        running++
        const start = performance.now()
        const ended = (outcome: Outcome) =>
          metrics.ran(job.name, outcome, (performance.now() - start) / 1_000)
        try {
          ended(await run(bull.data))
        } catch (error) {
          if (error instanceof RunLater) {
            ended('later')
            await bull.moveToDelayed(Date.now() + error.ms, token)
            throw new DelayedError()
          }
          const attempt = bull.attemptsMade + 1
          const isUnrecoverable = error instanceof FailedForGood
          const dead = job.kind === 'task' && (isUnrecoverable || attempt >= (bull.opts.attempts ?? 1))
          ended(dead ? 'dead' : 'failed')
          log[dead ? 'error' : 'warn']({ err: error, jobId: bull.id, attempt }, 'job failed')
          throw isUnrecoverable ? new UnrecoverableError(error.message) : forRedis(error)
        } finally {
          running--
        }
      },
      {
        connection: redis,
        prefix: QUEUE_PREFIX,
        concurrency: slots,
        lockDuration: timings.lockMs,
        stalledInterval: timings.stalledCheckMs,
        maxStalledCount: MAX_STALLED,
        // With the default of 15 s, a worker would be idle for that long after Redis came back.
        runRetryDelay: 1_000,
        // Finished tasks are kept for a while: a second add of the id finds the job, and so does the check whether a
        // replay succeeded. Runs of a schedule are not kept.
        removeOnComplete: job.kind === 'task' ? { age: 3_600, count: 10_000 } : { count: 0 },
        removeOnFail: job.kind === 'task' ? { count: -1 } : { count: 0 },
      },
    )
    const backOff = createBackOff(worker, () => !isDraining && current.worker === worker)
    worker.on('error', (error) => {
      report(error)
      // BullMQ itself waits while a connection is lost, and does not wait where Redis refuses each command.
      if (error.name === 'ReplyError' || !isRedisOutage(error)) backOff()
    })
    worker.on('stalled', (jobId) => {
      metrics.stalled(job.name)
      log.warn({ jobId }, 'the run was lost with its process and starts again')
    })
    worker.on('failed', (bull) => {
      // Only for a job that failed for good. If the write fails, the sweep repeats it.
      if (job.kind !== 'task' || bull?.finishedOn === undefined) return
      app.deadLetters
        .record([toFailure(job, bull)])
        .catch((error) => log.warn({ err: error }, 'dead letter not written yet'))
    })
    return {
      worker,
      redis,
      cut() {
        worker.close(true).catch(() => {})
        worker.stopRenewing()
        // A close that hangs has not closed its own connection yet.
        worker
          .getBackend()
          .disconnectBlocking(false)
          .catch(() => {})
        redis.disconnect()
      },
    }
  }

  let current = open()
  return {
    job: job.name,
    async replaceIfStuck() {
      const [overdue, silent] = await Promise.all([app.queues.overdue(job.name), isSilent(current.redis)])
      // A worker that is still connecting is not stuck.
      const waits = overdue > 0 && current.redis.status === 'ready'
      const isIdle = waits && waitedAtLastCheck && !startedSinceCheck && running < slots
      const isCutOff = silent && silentAtLastCheck
      const isStuck = isIdle || isCutOff
      waitedAtLastCheck = waits && !isStuck
      silentAtLastCheck = silent && !isStuck
      startedSinceCheck = false
      if (!isStuck) return
      log.warn(
        isIdle
          ? 'the worker is idle while work waits: replacing it'
          : 'Redis is silent: replacing the worker',
      )
      metrics.replaced(job.name)
      const old = current
      current = open()
      old.cut()
    },
    async drain() {
      const { worker, redis } = current
      isDraining = true
      pieces.stop()
      await worker.pause(true)
      while (running > 0 || pieces.running() > 0) await sleep(20)
      if (redis.status !== 'ready') return
      let isClosed = false
      const closing = worker.close().finally(() => {
        isClosed = true
      })
      closing.catch(report)
      // BullMQ waits until Redis has stored the results of the last runs. Without Redis it would wait forever.
      while (!isClosed && redis.status === 'ready') await sleep(20)
    },
    cut: () => current.cut(),
  }
}

/** True where a connection that seems open brings no answer in time. */
function isSilent(redis: Redis): Promise<boolean> {
  if (redis.status !== 'ready') return Promise.resolve(false)
  const answered = redis
    .ping()
    .catch(() => {})
    .then(() => false)
  return Promise.race([answered, sleep(PING_MS, true, { ref: false })])
}

/** BullMQ's own close stops the renewal of locks last, and never where it waits for a Redis that is away (bullmq 6.7.0). */
class CuttableWorker extends Worker {
  stopRenewing(): void {
    void this.lockManager.close()
  }
}

/** BullMQ keeps the message and the stack of each failure in Redis: a mail server's refusal, for example, names the fan's address. */
function forRedis(error: unknown): Error {
  if (!(error instanceof Error)) return new Error('job failed')
  const kept = new Error(withoutSecretsText(error.message))
  kept.stack = withoutSecretsText(error.stack ?? '')
  return kept
}

import { setTimeout as sleep } from 'node:timers/promises'
import { DelayedError, UnrecoverableError, Worker } from 'bullmq'
import { connectForWaiting } from '../redis/connect.ts'
import { QUEUE_PREFIX } from '../redis/keys.ts'
import { isRedisOutage } from '../redis/outage.ts'
import { BadJobData, type Job, type JobApp, RunLater } from './kit.ts'
import { toFailure } from './queues.ts'

/** How a run ended: `failed` is tried again, `dead` is not; `later` and `skipped` did nothing. */
export type Outcome = 'done' | 'failed' | 'dead' | 'later' | 'skipped'

/** Told what happens to jobs, for metrics. */
export interface JobObserver {
  ran(job: string, outcome: Outcome, seconds: number): void
  /** A run lost its lock, since its process died or hung: another one begins. */
  stalled(job: string): void
  /** A worker that sat idle in front of work was replaced. */
  replaced(job: string): void
}

export interface Timings {
  /** A runner that is not heard of for so long has died. Its process's event loop must never stand still as long. */
  lockMs: number
  /** How often the jobs of dead runners are looked for. */
  stalledCheckMs: number
}

// A room whose tick died with its process stands still for up to the sum of both, were it not for the keeper of
// the schedules. BullMQ's defaults are 30 s each.
export const TIMINGS: Timings = { lockMs: 10_000, stalledCheckMs: 5_000 }

/** A run that takes so long hangs: it is given up, or it would keep its slot, and its subject from further runs, for good. */
const HUNG_MS = 300_000

/** Killed with its process more often than this, a job is suspected of killing it and fails for good. */
const MAX_STALLED = 3

export interface WorkerOptions {
  job: Job
  app: JobApp
  redisUrl: string
  observer: JobObserver
  timings: Timings
  /** Told each time that Redis could not be reached: a dozen times a second while it is away. */
  onTrouble(error: unknown): void
}

export interface RunningWorker {
  readonly job: string
  /**
   * To be called every few seconds: replaces BullMQ's worker where work has waited from one call to the next and
   * it took none, as happens after Redis restarts (bullmq 2964, 2466).
   */
  watch(): Promise<void>
  /** Takes no more work and waits for what runs. */
  drain(): Promise<void>
  /** Cuts the connections; what still runs will be run again elsewhere. */
  cut(): void
}

export function startWorker({
  job,
  app,
  redisUrl,
  observer,
  timings,
  onTrouble,
}: WorkerOptions): RunningWorker {
  const log = app.log.child({ job: job.name })
  const subjects = new Set<string>()
  let running = 0
  let startedSinceWatch = false
  let waitedAtLastWatch = false

  function complain(error: Error) {
    if (isRedisOutage(error)) onTrouble(error)
    else log.warn({ err: error }, 'worker')
  }

  async function run(data: unknown): Promise<Outcome> {
    const { subject, run } = job.read(data)
    if (job.kind === 'task') {
      await withinReason(run(app))
      return 'done'
    }
    // A tick that takes longer than its interval would otherwise fill every slot with its own successors, and
    // the ticks of other rooms would wait.
    if (subjects.has(subject)) return 'skipped'
    subjects.add(subject)
    try {
      await withinReason(run(app))
      return 'done'
    } finally {
      subjects.delete(subject)
    }
  }

  function open() {
    const redis = connectForWaiting(redisUrl, { onError: complain })
    const worker = new Worker(
      job.name,
      async (bull, token) => {
        startedSinceWatch = true
        running++
        const start = performance.now()
        const ended = (outcome: Outcome) =>
          observer.ran(job.name, outcome, (performance.now() - start) / 1_000)
        try {
          ended(await run(bull.data))
        } catch (error) {
          if (error instanceof RunLater) {
            ended('later')
            await bull.moveToDelayed(Date.now() + error.ms, token)
            throw new DelayedError()
          }
          const attempt = bull.attemptsMade + 1
          const hopeless = error instanceof BadJobData
          const dead = job.kind === 'task' && (hopeless || attempt >= (bull.opts.attempts ?? 1))
          ended(dead ? 'dead' : 'failed')
          log[dead ? 'error' : 'warn']({ err: error, jobId: bull.id, attempt }, 'job failed')
          throw hopeless ? new UnrecoverableError(error.message) : error
        } finally {
          running--
        }
      },
      {
        connection: redis,
        prefix: QUEUE_PREFIX,
        concurrency: job.concurrency,
        lockDuration: timings.lockMs,
        stalledInterval: timings.stalledCheckMs,
        maxStalledCount: MAX_STALLED,
        // The default of 15 s is how long a worker would stand still after Redis came back.
        runRetryDelay: 1_000,
        // Kept for a while: a second add of the same id finds it, and a replay that succeeded is seen to have.
        // What runs on a schedule is of no interest to anybody once it is over.
        removeOnComplete: job.kind === 'task' ? { age: 3_600, count: 10_000 } : { count: 0 },
        removeOnFail: job.kind === 'task' ? { count: -1 } : { count: 0 },
      },
    )
    worker.on('error', complain)
    worker.on('stalled', (jobId) => {
      observer.stalled(job.name)
      log.warn({ jobId }, 'runner lost, running again')
    })
    worker.on('failed', (bull) => {
      // Only where it failed for good; on a failure of ours the sweep does it.
      if (job.kind !== 'task' || bull?.finishedOn === undefined) return
      app.deadLetters
        .record([toFailure(job.name, bull)])
        .catch((error) => log.warn({ err: error }, 'dead letter not written yet'))
    })
    worker.on('completed', ({ id, attemptsStarted, attemptsMade }) => {
      // Started more often than it failed: a replay, mostly.
      if (job.kind !== 'task' || attemptsStarted <= attemptsMade) return
      app.deadLetters
        .succeeded(job.name, id as string)
        .catch((error) => log.warn({ err: error }, 'dead letter not settled yet'))
    })
    return {
      worker,
      redis,
      cut() {
        worker.close(true).catch(() => {})
        // A close that hangs has not come to its own connection yet.
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
    async watch() {
      // One that still connects is not idle.
      const waits = (await app.queues.overdue(job.name)) > 0 && current.redis.status === 'ready'
      const isStuck = waits && waitedAtLastWatch && !startedSinceWatch && running < job.concurrency
      waitedAtLastWatch = waits && !isStuck
      startedSinceWatch = false
      if (!isStuck) return
      log.warn('worker sits idle in front of work, replacing it')
      observer.replaced(job.name)
      const old = current
      current = open()
      old.cut()
    },
    async drain() {
      const { worker, redis } = current
      await worker.pause(true)
      while (running > 0) await sleep(20)
      if (redis.status !== 'ready') return
      let isClosed = false
      const closing = worker.close().finally(() => {
        isClosed = true
      })
      closing.catch(complain)
      // BullMQ waits for Redis to hear how the last runs ended; without Redis it would wait in vain.
      while (!isClosed && redis.status === 'ready') await sleep(20)
    },
    cut: () => current.cut(),
  }
}

async function withinReason(run: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const hung = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`it ran for over ${HUNG_MS / 1_000} s`)), HUNG_MS)
  })
  try {
    await Promise.race([run, hung])
  } finally {
    clearTimeout(timer)
  }
}

import type { Logger } from 'pino'
import type { Job, Periodic } from '../kit.ts'
import type { JobQueues } from './jobQueues.ts'

/** A schedule whose next run is overdue by this time, or by three intervals if that is longer, has lost the run. */
const LOST_AFTER_MS = 5_000

export interface ScheduleKeeperDeps {
  jobs: readonly Job[]
  queues: Pick<JobQueues, 'schedules'>
  log: Logger
}

/** A schedule's next run. */
interface NextRun {
  /** By the clock of the worker that created the run. */
  readonly at: number
  /** When this process first read that time, by performance.now(). */
  readonly seenSince: number
}

/** Stuck schedules are logged at most once in this time, with their number: a machine that is too busy makes many. */
const LOG_EVERY_MS = 60_000

/** One schedule for each periodic job. The interval is a part of the id, so another interval replaces the schedule. */
export function scheduleId({ everyMs }: Pick<Periodic, 'everyMs'>): string {
  return `all-${everyMs}ms`
}

/**
 * Returns a function that gives each periodic job its one schedule, and removes all others. Any number of processes may
 * call it at once.
 *
 * Redis is no authority here: it may be flushed, restarted or restored to an older state. The next round adds the
 * missing schedules, removes those of another version of the code, and restarts those that are stuck. BullMQ creates a
 * schedule's next run when the current run starts. A schedule is stuck if that next run was lost with its worker, or lies
 * an hour ahead because the worker's clock was wrong. The time of a run is by the clock of the worker that created it, so
 * it is not compared with another clock: a schedule whose time has not changed for too long is stuck.
 *
 * A schedule that works is left alone: an upsert would move its next run.
 */
export function createScheduleKeeper({ jobs, queues: { schedules }, log }: ScheduleKeeperDeps) {
  const periodic = jobs.filter((job) => job.kind === 'periodic')
  const nextRuns = new Map<string, NextRun>()
  const restarted = new Set<string>()
  let restarts = 0
  let loggedAt = Number.NEGATIVE_INFINITY

  async function keep(job: Periodic) {
    const id = scheduleId(job)
    const found = await schedules.list(job.name)
    for (const [other, at] of found) if (other !== id) await schedules.remove(job.name, other, at)
    const at = found.get(id)
    if (at !== undefined) {
      const last = nextRuns.get(job.name)
      const nextRun = last?.at === at ? last : { at, seenSince: performance.now() }
      nextRuns.set(job.name, nextRun)
      const patience = job.everyMs + Math.max(LOST_AFTER_MS, 3 * job.everyMs)
      if (performance.now() - nextRun.seenSince < patience) return
      restarted.add(job.name)
      restarts++
      // An upsert alone would continue from the time of its next run, however far ahead that is.
      await schedules.remove(job.name, id, at)
    }
    nextRuns.delete(job.name)
    await schedules.put(job.name, id, job.everyMs, {})
  }

  function report() {
    if (restarts === 0 || performance.now() - loggedAt < LOG_EVERY_MS) return
    loggedAt = performance.now()
    log.warn({ jobs: [...restarted], restarts }, 'schedules were stuck: restarted them')
    restarted.clear()
    restarts = 0
  }

  return async (): Promise<void> => {
    for (const job of periodic) await keep(job)
    report()
  }
}

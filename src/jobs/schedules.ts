import type { Logger } from 'pino'
import type { JobQueues } from './jobQueues.ts'
import type { Job } from './kit.ts'

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

/**
 * Returns a function that makes the queues' schedules agree with the database. Its argument is the ids of the events
 * whose room or sale is open. Any number of processes may call it at once.
 *
 * Redis is no authority here: it may be flushed, restarted or restored to an older state. The next round adds the
 * missing schedules, removes those that have ended, and restarts those that are stuck. BullMQ creates a schedule's next
 * run when the current run starts. A schedule is stuck if that next run was lost with its worker, or lies an hour ahead
 * because the worker's clock was wrong. The time of a run is by the clock of the worker that created it, so it is
 * not compared with another clock: a schedule whose time has not changed for too long is stuck.
 *
 * A schedule that works is left alone: an upsert would move its next run.
 */
export function createScheduleKeeper({ jobs, queues: { schedules }, log }: ScheduleKeeperDeps) {
  let nextRuns = new Map<string, NextRun>()

  return async (active: readonly string[]): Promise<void> => {
    const before = nextRuns
    nextRuns = new Map()
    for (const job of jobs) {
      if (job.kind !== 'periodic') continue
      const found = await schedules.list(job.name)
      for (const { id, everyMs, data } of job.schedules(active)) {
        const key = `${job.name} ${id}`
        const at = found.get(id)
        found.delete(id)
        if (at !== undefined) {
          const last = before.get(key)
          const nextRun = last?.at === at ? last : { at, seenSince: performance.now() }
          if (performance.now() - nextRun.seenSince < everyMs + Math.max(LOST_AFTER_MS, 3 * everyMs)) {
            nextRuns.set(key, nextRun)
            continue
          }
          log.warn({ job: job.name, schedule: id }, 'the schedule was stuck: restarting it')
          // An upsert alone would continue from the time of its next run, however far ahead that is.
          await schedules.remove(job.name, id, at)
        }
        await schedules.put(job.name, id, everyMs, data)
      }
      for (const [id, at] of found) await schedules.remove(job.name, id, at)
    }
  }
}

import type { Logger } from 'pino'
import type { JobQueues } from './jobQueues.ts'
import type { Job } from './kit.ts'

/** A schedule whose next run is so long overdue, or three of its intervals if that is more, has lost it. */
const LOST_AFTER_MS = 5_000

export interface ScheduleKeeperDeps {
  jobs: readonly Job[]
  queues: Pick<JobQueues, 'schedules'>
  log: Logger
}

/** A schedule's next run, as whatever clock has it, and since when it is known here. */
interface NextRun {
  readonly at: number
  readonly knownSince: number
}

/**
 * Makes the queues' schedules what the database says they should be, each time that it is called with the ids of the
 * events whose room or sale is open. Any number of processes may do so at once.
 *
 * Redis is no authority here: flushed, restarted or restored to an older state, the next round puts back what is
 * gone, removes what has ended, and starts anew what stands still. A schedule stands still where the next run,
 * which BullMQ makes when the present one starts, was lost with the worker that was about to make it; or lies an
 * hour ahead, as that worker's clock was. Its time is of the clock of whichever worker made it, so it is compared
 * with no other: what has not moved for too long stands still.
 *
 * What is in place is left alone: upserting it would move its next run.
 */
export function createScheduleKeeper({ jobs, queues: { schedules }, log }: ScheduleKeeperDeps) {
  let known = new Map<string, NextRun>()

  return async (active: readonly string[]): Promise<void> => {
    const before = known
    known = new Map()
    for (const job of jobs) {
      if (job.kind !== 'periodic') continue
      const found = await schedules.list(job.name)
      for (const { id, everyMs, data } of job.schedules(active)) {
        const key = `${job.name} ${id}`
        const at = found.get(id)
        found.delete(id)
        if (at !== undefined) {
          const last = before.get(key)
          const nextRun = last?.at === at ? last : { at, knownSince: performance.now() }
          if (performance.now() - nextRun.knownSince < everyMs + Math.max(LOST_AFTER_MS, 3 * everyMs)) {
            known.set(key, nextRun)
            continue
          }
          log.warn({ job: job.name, schedule: id }, 'schedule stood still, starting it anew')
          // Upserted, it would go on from the time of its next run, however far ahead that lies.
          await schedules.remove(job.name, id, at)
        }
        await schedules.put(job.name, id, everyMs, data)
      }
      for (const [id, at] of found) await schedules.remove(job.name, id, at)
    }
  }
}

import type { Logger } from 'pino'
import type { JobQueues } from './jobQueues.ts'
import type { Job } from './kit.ts'

/** A schedule whose next run is so long overdue, or three of its intervals if that is more, has lost it. */
const LOST_AFTER_MS = 5_000

export interface KeepSchedules {
  jobs: readonly Job[]
  queues: Pick<JobQueues, 'schedules'>
  /** Ids of the events whose room or sale is open. */
  active: readonly string[]
  log: Logger
}

/**
 * Makes the queues' schedules what the database says they should be. Any number of processes may do so at once.
 *
 * Redis is no authority here: flushed, restarted or restored to an older state, the next round puts back what is
 * gone, removes what has ended, and starts anew what stands still. A schedule stands still where the next run,
 * which BullMQ makes when the present one starts, was lost with the worker that was about to make it.
 *
 * What is in place is left alone: upserting it would move its next run.
 */
export async function keepSchedules({
  jobs,
  queues: { schedules },
  active,
  log,
}: KeepSchedules): Promise<void> {
  for (const job of jobs) {
    if (job.kind !== 'periodic') continue
    const wanted = job.schedules(active)
    const found = await schedules.list(job.name)
    for (const { id, everyMs, data } of wanted) {
      const nextRun = found.get(id)
      found.delete(id)
      if (nextRun !== undefined && Date.now() - nextRun < Math.max(LOST_AFTER_MS, 3 * everyMs)) continue
      if (nextRun !== undefined)
        log.warn({ job: job.name, schedule: id }, 'schedule stood still, starting it anew')
      await schedules.put(job.name, id, everyMs, data)
    }
    for (const id of found.keys()) await schedules.remove(job.name, id)
  }
}

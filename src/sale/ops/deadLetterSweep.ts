import type { Database } from '../../sql/database/database.ts'
import type { Failure } from '../../sql/ops/deadLetters.ts'
import {
  forgetReplays,
  markSucceeded,
  openLettersNotIn,
  readClosedJobs,
  readKnownJobs,
  recordFailures,
} from '../../sql/ops/failedJobs.ts'
import { closeSettled } from '../../sql/ops/settledSubjects.ts'
import { withoutSecrets, withoutSecretsText } from '../../withoutSecrets.ts'
import type { DeadLetterQueues } from './deadLetterQueues.ts'

/** Keeps the table of dead letters and the queues in agreement. */
export interface DeadLetterSweep {
  /** Writes a letter for each job that has just failed for good. */
  record(failures: readonly Failure[]): Promise<void>
  /**
   * Brings the table and the queues into agreement. They disagree if a process died between two steps: a job's last
   * failure and its letter, a replay and its mark, or a discard and the removal of the job. Closes the letters whose
   * subject is settled by now, in whatever way.
   */
  sweep(): Promise<void>
}

/** The most letters that one round reads from the queue. */
const ROUND = 200

export function createDeadLetterSweep({
  db,
  queues,
}: {
  db: Database
  queues: DeadLetterQueues
}): DeadLetterSweep {
  async function sweepQueue(queue: string): Promise<void> {
    const failedIds = await queues.failedIds(queue)
    const known = await readKnownJobs(db, queue, failedIds)
    const unknown = failedIds.filter((id) => !known.has(id))
    for (let i = 0; i < unknown.length; i += ROUND) {
      await record(await queues.failed(queue, unknown.slice(i, i + ROUND)))
    }
    await forgetReplays(db, queue, failedIds)
    await closeSettled(db, queue)
    // After the record: a job that failed again since its letter was closed has opened it.
    for (const jobId of await readClosedJobs(db, queue, failedIds)) await queues.drop(queue, jobId)
    for (const { id, jobId } of await openLettersNotIn(db, queue, failedIds, ROUND)) {
      if ((await queues.jobState(queue, jobId)) === 'succeeded') await markSucceeded(db, [id])
    }
  }

  function record(failures: readonly Failure[]): Promise<void> {
    const clean = failures.map((failure) => ({
      ...failure,
      data: withoutSecrets(failure.data),
      error: withoutSecretsText(failure.error),
    }))
    return recordFailures(db, clean, queues.onceOnly)
  }

  return {
    record,
    async sweep() {
      for (const queue of queues.tasks) await sweepQueue(queue)
    },
  }
}

import type { Failure } from '../../sql/ops/deadLetters.ts'

/** A job's state in its queue. `running`: it runs or waits to run; `gone`: the queue has no such job. */
export type JobState = 'running' | 'failed' | 'succeeded' | 'gone'

/** Redis did not answer in time. Whether the call took effect is unknown; every call may be repeated. */
export class QueueUnavailable extends Error {
  constructor(cause?: unknown) {
    super('the queues cannot be reached', { cause })
    this.name = 'QueueUnavailable'
  }
}

/** The part of the queues that dead letters use. Every call may throw QueueUnavailable. */
export interface DeadLetterQueues {
  /** The queues whose jobs become dead letters. */
  readonly tasks: readonly string[]
  /** Those of them whose work for a subject is done once. */
  readonly onceOnly: readonly string[]
  failedIds(queue: string): Promise<string[]>
  /** Returns those of the jobs that are in the failed set. */
  failed(queue: string, jobIds: readonly string[]): Promise<Failure[]>
  jobState(queue: string, jobId: string): Promise<JobState>
  /** True while a job about the subject waits or runs. */
  runs(queue: string, subject: string): Promise<boolean>
  /**
   * Runs a job again: takes it out of the failed set in one atomic step, or re-creates it if the queue has lost it.
   * Does nothing where the job, or another job about the same subject, waits or runs, and where it has succeeded.
   */
  replay(letter: {
    queue: string
    jobId: string
    data: unknown
  }): Promise<'replayed' | 'running' | 'succeeded'>
  /** Takes a job out of the failed set. */
  drop(queue: string, jobId: string): Promise<void>
}

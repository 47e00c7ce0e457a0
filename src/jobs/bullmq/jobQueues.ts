import type { DeadLetterQueues } from '../../sale/ops/deadLetterQueues.ts'

/** The queues, for callers that add work. No call hangs: while Redis is away, it throws QueueUnavailable. */
export interface JobQueues extends DeadLetterQueues {
  /** Names of the jobs that `add` takes. */
  readonly tasks: readonly string[]
  /** Adds jobs. Skips an id that the queue still keeps, and a subject for which another job waits or runs. */
  add(work: readonly { job: string; id: string; data: unknown }[]): Promise<void>
  /** Counts jobs by queue and state. */
  counts(): Promise<Record<string, QueueCounts>>
  /** Counts the jobs that wait although they could run: waiting jobs, and delayed ones due for over 5 s. */
  overdue(job: string): Promise<number>
  readonly schedules: {
    /**
     * Returns the ids of a queue's schedules, each with the time of its next run in milliseconds since 1970. That time
     * is by the clock of the worker that created the run.
     */
    list(job: string): Promise<Map<string, number>>
    put(job: string, id: string, everyMs: number, data: object): Promise<void>
    /** Removes a schedule, and its next run unless that has started. */
    remove(job: string, id: string, nextRun: number): Promise<void>
  }
  close(): Promise<void>
}

export interface QueueCounts {
  waiting: number
  active: number
  delayed: number
  failed: number
}

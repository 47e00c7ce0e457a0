import type { DeadLetterQueues } from '../sale/ops/deadLetters.ts'

/** The queues, from the side of those who put work in. No call hangs: with Redis away it throws QueueUnavailable. */
export interface JobQueues extends DeadLetterQueues {
  /** Names of the jobs that `add` takes. */
  readonly tasks: readonly string[]
  /** An id that the queue still keeps is not added again, nor is what another living job is about. */
  add(work: readonly { job: string; id: string; data: unknown }[]): Promise<void>
  /** How many jobs stand where, by queue. */
  counts(): Promise<Record<string, QueueCounts>>
  /** Jobs that could run now and wait, those due for over 5 s among the delayed included. */
  overdue(job: string): Promise<number>
  readonly schedules: {
    /**
     * Ids of a queue's schedules, each with the time of its next run in milliseconds since 1970, by the clock of the
     * worker that made it.
     */
    list(job: string): Promise<Map<string, number>>
    put(job: string, id: string, everyMs: number, data: object): Promise<void>
    /** And its next run, unless that has started. */
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

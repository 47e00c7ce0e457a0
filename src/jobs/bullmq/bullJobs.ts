import type { Job as BullJob, JobState as BullState } from 'bullmq'
import { eventNamedBy } from '../../sale/ids.ts'
import type { JobState } from '../../sale/ops/deadLetterQueues.ts'
import { BadJobData, type Task } from '../kit.ts'

/** Converts a failed job to the failure that becomes a dead letter. */
export function toFailure(task: Task, job: BullJob) {
  return {
    queue: task.name,
    job: job.name,
    jobId: job.id as string,
    subject: subjectOf(task, job.data) ?? null,
    data: job.data as unknown,
    error: job.failedReason ?? 'unknown',
    attempts: job.attemptsMade,
    failedAt: new Date(job.finishedOn ?? job.timestamp),
  }
}

/** Converts a piece of work to a job of BullMQ. Without a priority a job runs before all that have one. */
export function toBull(job: Task, id: string, data: unknown, priority = 0) {
  const subject = subjectOf(job, data)
  return {
    name: job.name,
    data,
    opts: {
      jobId: id,
      priority,
      attempts: job.attempts,
      backoff: { type: 'exponential', delay: job.retryAfterMs, jitter: 0.5 },
      ...(subject === undefined ? {} : { deduplication: { id: subject } }),
    },
  }
}

/** The event that the subject's id names. The jobs that name none share one line. */
export function eventOf(task: Task, data: unknown): string {
  return eventNamedBy(subjectOf(task, data) ?? '') ?? ''
}

/** Undefined for data that are not valid: the job is still added, fails for good and becomes a dead letter. */
export function subjectOf(job: Task, data: unknown): string | undefined {
  try {
    return job.read(data).subject
  } catch (error) {
    if (error instanceof BadJobData) return undefined
    throw error
  }
}

/** The state of a dead letter's job, by BullMQ's state. */
export function toJobState(state: BullState | 'unknown'): JobState {
  if (state === 'failed') return 'failed'
  if (state === 'completed') return 'succeeded'
  return state === 'unknown' ? 'gone' : 'running'
}

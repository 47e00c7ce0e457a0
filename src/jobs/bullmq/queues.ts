import { type Job as BullJob, Queue } from 'bullmq'
import type { Logger } from 'pino'
import { connectForQueues } from '../../redis/connect.ts'
import { createJobPriorities } from '../../redis/jobPriorities.ts'
import { QUEUE_PREFIX } from '../../redis/keys.ts'
import { isRedisOutage } from '../../redis/outage.ts'
import { QueueUnavailable } from '../../sale/ops/deadLetterQueues.ts'
import type { Job, Task } from '../kit.ts'
import { eventOf, subjectOf, toBull, toFailure, toJobState } from './bullJobs.ts'
import type { JobQueues } from './jobQueues.ts'

/** BullMQ's own calls wait for Redis without end. */
const DEADLINE_MS = 2_000

export interface JobQueuesOptions {
  redisUrl: string
  jobs: readonly Job[]
  log: Logger
}

/** Connects in the background: while Redis is away, a process starts and serves requests that need no queue. */
export function createJobQueues({ redisUrl, jobs, log }: JobQueuesOptions): JobQueues {
  const redis = connectForQueues(redisUrl, {
    onError: (error) => log.debug({ err: error }, 'connection of the queues'),
  })
  const queues = new Map(
    jobs.map((job) => {
      const queue = new Queue(job.name, {
        connection: redis,
        prefix: QUEUE_PREFIX,
        // The version check is one command at the start. While Redis is away it would fail for good.
        skipVersionCheck: true,
        // Only the panel reads the event streams.
        streams: { events: { maxLen: 1_000 } },
      })
      queue.on('error', (error) => log.debug({ err: error, queue: job.name }, 'queue'))
      return [job.name, { job, queue }] as const
    }),
  )
  const tasks = jobs.filter((job) => job.kind === 'task')
  const assignPriorities = createJobPriorities(redis)

  function find(name: string) {
    const found = queues.get(name)
    if (!found) throw new Error(`there is no job ${name}`)
    return found
  }
  const queueOf = (name: string) => find(name).queue

  function taskOf(name: string): { job: Task; queue: Queue } {
    const { job, queue } = find(name)
    if (job.kind !== 'task') throw new Error(`${name} runs on a schedule and takes no work`)
    return { job, queue }
  }

  /** The crowd of one event does not delay another event's jobs: events take turns in the queue. */
  async function addFairly(name: string, work: readonly { id: string; data: unknown }[]): Promise<void> {
    const { job, queue } = taskOf(name)
    const [next] = await queue.getPrioritized(0, 0)
    const priorities = await assignPriorities(
      name,
      next?.priority ?? 0,
      work.map(({ data }) => eventOf(job, data)),
    )
    await queue.addBulk(work.map(({ id, data }, i) => toBull(job, id, data, priorities[i])))
  }

  return {
    tasks: tasks.map(({ name }) => name),
    onceOnly: tasks.filter((job) => job.kind === 'task' && job.once).map(({ name }) => name),

    async add(work) {
      const byJob = Map.groupBy(work, ({ job }) => job)
      await within(Promise.all(Array.from(byJob, ([name, entries]) => addFairly(name, entries))))
    },

    async counts() {
      const entries = await within(
        Promise.all(
          Array.from(queues, async ([name, { queue }]) => {
            const {
              waiting = 0,
              prioritized = 0,
              active = 0,
              delayed = 0,
              failed = 0,
            } = await queue.getJobCounts()
            return [name, { waiting: waiting + prioritized, active, delayed, failed }] as const
          }),
        ),
      )
      return Object.fromEntries(entries)
    },

    async overdue(name) {
      const queue = queueOf(name)
      return within(
        (async () => {
          if (await queue.isPaused()) return 0
          const counts = await queue
            .getBackend()
            .getCounts(['waiting', 'prioritized', 'delayed'], Date.now() - 5_000)
          return counts.reduce((sum, count) => sum + count, 0)
        })(),
      )
    },

    schedules: {
      async list(name) {
        const flat = await within(queueOf(name).getBackend().getJobSchedulersRange(0, -1, true))
        const found = new Map<string, number>()
        for (let i = 0; i < flat.length; i += 2) found.set(flat[i] as string, Number(flat[i + 1]))
        return found
      },
      async put(name, id, everyMs, data) {
        await within(queueOf(name).upsertJobScheduler(id, { every: everyMs }, { name, data }))
      },
      async remove(name, id, nextRun) {
        const queue = queueOf(name)
        await within(
          (async () => {
            // This removes the next run only while that is delayed; a run that waits is removed afterwards.
            await queue.removeJobScheduler(id)
            await queue.remove(`repeat:${id}:${nextRun}`)
          })(),
        )
      },
    },

    async failedIds(name) {
      const [ids = []] = await within(queueOf(name).getBackend().getRanges(['failed'], 0, -1))
      return ids as unknown as string[]
    },

    async failed(name, jobIds) {
      const { job: task, queue } = taskOf(name)
      const found = await within(Promise.all(jobIds.map((id) => queue.getJob(id))))
      return found
        .filter((job) => job?.finishedOn !== undefined)
        .map((job) => toFailure(task, job as BullJob))
    },

    async jobState(name, jobId) {
      return toJobState(await within(queueOf(name).getJobState(jobId)))
    },

    runs: (name, subject) => within(runs(queueOf(name), subject)),

    async replay({ queue: name, jobId, data }) {
      const { job, queue } = taskOf(name)
      return within(
        (async () => {
          const subject = subjectOf(job, data)
          if (subject !== undefined && (await runs(queue, subject))) return 'running'
          const found = await queue.getJob(jobId)
          if (!found) {
            const again = toBull(job, jobId, data)
            await queue.add(again.name, again.data, again.opts)
            return 'replayed'
          }
          try {
            // One atomic step takes the job out of the failed set: of two replays at once, one takes effect.
            await found.retry('failed', { resetAttemptsMade: true })
            return 'replayed'
          } catch (error) {
            const now = toJobState(await queue.getJobState(jobId))
            if (now === 'running' || now === 'succeeded') return now
            throw error
          }
        })(),
      )
    },

    async drop(name, jobId) {
      const queue = queueOf(name)
      await within(
        (async () => {
          if (toJobState(await queue.getJobState(jobId)) === 'failed') await queue.remove(jobId)
        })(),
      )
    },

    async close() {
      redis.disconnect()
      await Promise.all(Array.from(queues.values(), ({ queue }) => queue.close().catch(() => {})))
    },
  }
}

/** True while a job about the subject waits or runs. */
async function runs(queue: Queue, subject: string): Promise<boolean> {
  const living = await queue.getDeduplicationJobId(subject)
  // The queue frees a subject when its job ends. A subject that still names a missing job is free too.
  return living !== null && toJobState(await queue.getJobState(living)) === 'running'
}

async function within<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new QueueUnavailable()), DEADLINE_MS)
  })
  try {
    return await Promise.race([work, deadline])
  } catch (error) {
    throw isRedisOutage(error) ? new QueueUnavailable(error) : error
  } finally {
    clearTimeout(timer)
    work.catch(() => {})
  }
}

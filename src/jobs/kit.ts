import type { Logger } from 'pino'
import type { z } from 'zod'
import type { Env } from '../env.ts'
import type { ChannelHub } from '../redis/channelHub.ts'
import type { Holds } from '../sale/holds/holds.ts'
import type { Letters } from '../sale/letters/letters.ts'
import type { SeatMap } from '../sale/map/seatMap.ts'
import type { DeadLetters } from '../sale/ops/deadLetters.ts'
import type { Checkout } from '../sale/orders/checkout.ts'
import type { EventRefunds } from '../sale/orders/eventRefunds.ts'
import type { Pacer } from '../sale/pacer/pacer.ts'
import type { AlertSender } from '../sale/turnAlerts/alertSender.ts'
import type { Waitlist } from '../sale/waitlist/waitlist.ts'
import type { Database } from '../sql/database/database.ts'
import type { JobQueues } from './bullmq/jobQueues.ts'

/** The parts of the app that jobs use. */
export interface JobApp {
  readonly env: Pick<Env, 'redisUrl' | 'roomRedisUrl'>
  readonly log: Logger
  readonly db: Database
  readonly roomDb: Database
  readonly hub: Pick<ChannelHub, 'listen'>
  readonly queues: JobQueues
  readonly pacer: Pick<Pacer, 'tick'>
  readonly holds: Pick<Holds, 'sweep'>
  readonly seatMap: Pick<SeatMap, 'rebuildHot' | 'toCompare' | 'noteHolds' | 'withMaps' | 'remove'>
  readonly checkout: Pick<
    Checkout,
    'capture' | 'cancelPayment' | 'refundPayment' | 'settleStuck' | 'endLost' | 'emitAgain'
  >
  readonly eventRefunds: Pick<EventRefunds, 'running' | 'work'>
  readonly waitlist: Pick<Waitlist, 'offer' | 'mailOffer'>
  readonly letters: Letters
  readonly alertSender: AlertSender
  readonly deadLetters: Pick<DeadLetters, 'record' | 'standing' | 'succeeded' | 'sweep' | 'replayDue'>
}

interface Definition<Data> {
  /** Also the name of its queue: each job has a queue of its own, so that no job waits behind another kind. */
  readonly name: string
  /** Ids only: no secrets and no personal data, since ops read them. */
  readonly data: z.ZodType<Data>
  /** The most runs at once in one process. */
  readonly concurrency: number
  /**
   * The subject of the run, such as an order's id: two runs with one subject do the same work. It begins with an id, and a
   * queue serves the events that these ids name in rotation.
   */
  subject(data: Data): string
  /**
   * True: the work for a subject is done once, so no job does it any more after ops have discarded its dead letter.
   * src/sql/ops/settledSubjects.ts says when it is done. False: new work for the subject comes again and again.
   */
  readonly once: boolean
  /** Acts on the state in the database: safe to run twice, in any order, and again after a kill at any point. */
  run(app: JobApp, data: Data): Promise<void>
}

/** One piece of work, done once. It is retried with growing waits; if it fails for good, it is a dead letter. */
export interface Task {
  readonly kind: 'task'
  readonly name: string
  readonly concurrency: number
  readonly attempts: number
  readonly once: boolean
  /** The wait after the first failure. Each further wait is twice as long, less up to half for jitter. */
  readonly retryAfterMs: number
  read(data: unknown): Reading
}

/**
 * Runs on one schedule, however many events there are. A run finds the pieces of work that exist now, and does them. A
 * failed piece is not retried: the next run finds it again.
 */
export interface Periodic {
  readonly kind: 'periodic'
  readonly name: string
  readonly everyMs: number
  /** The most pieces at once in one process. */
  readonly concurrency: number
  /**
   * A piece that takes longer than the interval goes on after its run has ended. The next run then finds the other
   * pieces. False: a run lasts until its work is done.
   */
  readonly outlivesRun: boolean
  find(app: JobApp): Promise<Piece[]>
}

/** One piece of work of a run, such as one event's tick. It acts on the state in the database, as a task does. */
export interface Piece {
  /** Two pieces with one subject do the same work: a process does one of them at a time. */
  readonly subject: string
  run(): Promise<void>
}

export type Job = Task | Periodic

/** A job's data after the check. */
export interface Reading {
  readonly subject: string
  run(app: JobApp): Promise<void>
}

/** Thrown by a run: no further attempt can succeed, so the job is a dead letter at once. */
export class FailedForGood extends Error {
  override name = 'FailedForGood'
}

/** The job's data are not valid. */
export class BadJobData extends FailedForGood {
  constructor(job: string, faults: string) {
    super(`${job}: the data are not valid: ${faults}`)
    this.name = 'BadJobData'
  }
}

/** Thrown by a run that did nothing: it runs again after `ms` milliseconds, and does not count as a failure. */
export class RunLater extends Error {
  readonly ms: number
  constructor(ms: number) {
    super(`run again in ${ms} ms`)
    this.name = 'RunLater'
    this.ms = ms
  }
}

export function defineTask<Data>(
  definition: Definition<Data> & Pick<Task, 'attempts' | 'retryAfterMs'>,
): Task {
  const { name, concurrency, attempts, retryAfterMs, once } = definition
  return { kind: 'task', name, concurrency, attempts, retryAfterMs, once, read: reader(definition) }
}

/** A job whose run is one piece of work for all events. */
export function definePeriodic({
  name,
  everyMs,
  run,
}: Pick<Periodic, 'name' | 'everyMs'> & { run(app: JobApp): Promise<void> }): Periodic {
  return {
    kind: 'periodic',
    name,
    everyMs,
    concurrency: 1,
    outlivesRun: false,
    find: async (app) => [{ subject: 'all', run: () => run(app) }],
  }
}

/**
 * A job whose run does one piece of work for each event that has any. `find` returns these events in as few statements as
 * there are databases: an event without work costs no statement, no command and no job.
 */
export function defineEventRounds<Found extends { readonly eventId: string }>({
  name,
  everyMs,
  concurrency,
  find,
  run,
}: Pick<Periodic, 'name' | 'everyMs' | 'concurrency'> & {
  find(app: JobApp): Promise<readonly Found[]>
  run(app: JobApp, found: Found): Promise<void>
}): Periodic {
  return {
    kind: 'periodic',
    name,
    everyMs,
    concurrency,
    outlivesRun: true,
    async find(app) {
      const events = await find(app)
      return events.map((found) => ({ subject: found.eventId, run: () => run(app, found) }))
    },
  }
}

function reader<Data>({ name, data: schema, subject, run }: Definition<Data>): (data: unknown) => Reading {
  return (given) => {
    const parsed = schema.safeParse(given)
    if (!parsed.success) {
      const faults = parsed.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`.trim())
      throw new BadJobData(name, faults.join('; '))
    }
    return { subject: subject(parsed.data), run: (app) => run(app, parsed.data) }
  }
}

import type { Logger } from 'pino'
import type { z } from 'zod'
import type { Env } from '../env.ts'
import type { ChannelHub } from '../redis/channelHub.ts'
import type { Holds } from '../sale/holds/holds.ts'
import type { SeatMap } from '../sale/map/seatMap.ts'
import type { DeadLetters } from '../sale/ops/deadLetters.ts'
import type { Checkout } from '../sale/orders/checkout.ts'
import type { Pacer } from '../sale/pacer/pacer.ts'
import type { Sales } from '../sale/sales/sales.ts'
import type { Waitlist } from '../sale/waitlist/waitlist.ts'
import type { Database } from '../sql/database.ts'
import type { JobQueues } from './jobQueues.ts'

/** What jobs need of the app; App has all of it. */
export interface JobApp {
  readonly env: Pick<Env, 'redisUrl' | 'roomRedisUrl'>
  readonly log: Logger
  readonly db: Database
  readonly hub: Pick<ChannelHub, 'listen'>
  readonly queues: JobQueues
  readonly sales: Pick<Sales, 'active'>
  readonly pacer: Pick<Pacer, 'tick'>
  readonly holds: Pick<Holds, 'sweep'>
  readonly seatMap: Pick<SeatMap, 'rebuildHot'>
  readonly checkout: Pick<Checkout, 'capture' | 'voidPayment' | 'settleStuck' | 'emitAgain'>
  readonly waitlist: Pick<Waitlist, 'offer' | 'mailOffer'>
  readonly deadLetters: Pick<DeadLetters, 'record' | 'succeeded' | 'sweep' | 'replayDue'>
}

interface Definition<Data> {
  /** Names the queue too: each job has one of its own, so that none waits behind another kind. */
  readonly name: string
  /** Data are ids: no secrets and nothing personal, since ops read them. */
  readonly data: z.ZodType<Data>
  /** Runs at once in one process. */
  readonly concurrency: number
  /** What the run is about, such as an order's id: two runs about the same thing do the same work. */
  subject(data: Data): string
  /** Driven by the database's state: safe to run twice, in any order, and again after a kill at any point. */
  run(app: JobApp, data: Data): Promise<void>
}

/** One piece of work, done once. It is tried again with growing waits; if it fails for good it is a dead letter. */
export interface Task {
  readonly kind: 'task'
  readonly name: string
  readonly concurrency: number
  readonly attempts: number
  /** The wait after the first failure; each further one is twice as long, less up to half for jitter. */
  readonly retryAfterMs: number
  read(data: unknown): Reading
}

/** Runs while the database's state asks for it. A run that fails is not repeated: the next one comes anyway. */
export interface Periodic {
  readonly kind: 'periodic'
  readonly name: string
  readonly concurrency: number
  /** What should be running, given the events whose room or sale is open. */
  schedules(active: readonly string[]): Schedule[]
  read(data: unknown): Reading
}

export type Job = Task | Periodic

export interface Schedule {
  /** Has the interval in it: another interval is another schedule, so a new version's replaces the old one's. */
  readonly id: string
  readonly everyMs: number
  readonly data: object
}

/** A job's data, checked. */
export interface Reading {
  readonly subject: string
  run(app: JobApp): Promise<void>
}

/** The job's data are not what the job takes: no attempt can succeed. */
export class BadJobData extends Error {
  constructor(job: string, faults: string) {
    super(`${job}: the data are not valid: ${faults}`)
    this.name = 'BadJobData'
  }
}

/** Thrown by a run that did nothing: run it again after `ms`, and do not count it as a failure. */
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
  const { name, concurrency, attempts, retryAfterMs } = definition
  return { kind: 'task', name, concurrency, attempts, retryAfterMs, read: reader(definition) }
}

export function definePeriodic<Data extends object>(
  definition: Definition<Data> & {
    schedules(active: readonly string[]): { everyMs: number; data: Data }[]
  },
): Periodic {
  const { name, concurrency, subject } = definition
  return {
    kind: 'periodic',
    name,
    concurrency,
    schedules: (active) =>
      definition.schedules(active).map(({ everyMs, data }) => ({
        id: `${subject(data)}-${everyMs}ms`,
        everyMs,
        data,
      })),
    read: reader(definition),
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

import type { Logger } from 'pino'
import type { Database } from '../../sql/database.ts'
import {
  type DeadLetterRow,
  type Decision,
  discardLetter,
  type Failure,
  forgetReplays,
  listOpenLetters,
  markJobSucceeded,
  markSucceeded,
  openLettersNotIn,
  planReplays,
  readDueReplays,
  readLetter,
  readLettersOf,
  readWindow,
  recordFailures,
  replayLetter,
  unplanReplay,
} from '../../sql/deadLetters.ts'
import type { Account } from '../caller.ts'
import { badInput } from '../faults.ts'
import { type Page, type PageRequest, readTimeCursor, rowsToRead, toPage } from '../page.ts'
import { isStorable } from '../storable.ts'
import { withoutSecrets, withoutSecretsText } from './withoutSecrets.ts'

/** Where a job stands in its queue; `gone`: the queue knows nothing of it. */
export type Standing = 'running' | 'failed' | 'succeeded' | 'gone'

/** Redis did not answer in time. Whether the work was done is unknown; all of it may be asked for again. */
export class QueueUnavailable extends Error {
  constructor(cause?: unknown) {
    super('the queues cannot be reached', { cause })
    this.name = 'QueueUnavailable'
  }
}

/** What dead letters need of the queues. Every call may throw QueueUnavailable. */
export interface DeadLetterQueues {
  /** The queues whose jobs become dead letters. */
  readonly tasks: readonly string[]
  failedIds(queue: string): Promise<string[]>
  /** Those of the jobs that stand in the failed set. */
  failed(queue: string, jobIds: readonly string[]): Promise<Failure[]>
  standing(queue: string, jobId: string): Promise<Standing>
  /**
   * Runs a job again, in one atomic step out of the failed set; one that the queue has lost is added anew. Does
   * nothing where it, or another job about the same thing, waits or runs, and where it has succeeded.
   */
  replay(letter: {
    queue: string
    jobId: string
    data: unknown
  }): Promise<'replayed' | 'running' | 'succeeded'>
  /** Takes a job out of the failed set. */
  drop(queue: string, jobId: string): Promise<void>
}

/** A job that failed for good, under the names of the API's type DeadLetter. */
export interface DeadLetterView {
  id: string
  queue: string
  job: string
  data: unknown
  error: string
  attempts: number
  failedAt: Date
  replays: number
}

export interface DeadLetterFilter {
  queue?: string | null
  /** At or after. */
  failedAfter?: Date | null
  /** Before. */
  failedBefore?: Date | null
}

export interface DeadLetterRefusal {
  deadLetterId: string
  reason: string
}

/** By id, or all of a window; exactly one of them. */
export interface ReplayInput {
  ids?: readonly string[] | null
  window?: { queue?: string | null; failedAfter: Date; failedBefore: Date; perSecond?: number | null } | null
}

export interface DeadLetters {
  /** Those that wait for somebody: neither discarded nor replayed with success. Last failed first. */
  list(request: PageRequest & DeadLetterFilter): Promise<Page<DeadLetterView>>
  find(id: string): Promise<DeadLetterView | null>
  /**
   * Runs jobs again: those named by id at once, those of a window one after the other at its pace. A replay has no
   * second effect, since jobs follow the database's state; one whose job still runs is refused all the same.
   * `replayed`: put back, or to be put back by the pace.
   */
  replay(actor: Account, input: ReplayInput): Promise<{ replayed: string[]; refused: DeadLetterRefusal[] }>
  /** Gives letters up for good; their jobs are taken out of the queues. */
  discard(
    actor: Account,
    input: { ids: readonly string[]; reason: string },
  ): Promise<{ discarded: string[]; refused: DeadLetterRefusal[] }>
  /** Writes down jobs that have just failed for good. */
  record(failures: readonly Failure[]): Promise<void>
  /** A job that may have been replayed has run with success. */
  succeeded(queue: string, jobId: string): Promise<void>
  /**
   * Brings table and queues into agreement: whoever died between a job's last failure and its letter, between a
   * replay and its mark, or between a discard and the queue, left something that this sets right.
   */
  sweep(): Promise<void>
  /** Replays what the pace of a window has made due; returns how many. */
  replayDue(): Promise<number>
}

const MOST_IDS = 1_000
/** Letters of one window; another call takes the rest. */
const MOST_IN_WINDOW = 10_000
const LONGEST_REASON = 1_000
const FASTEST = 1_000
const DEFAULT_PER_SECOND = 10

/** Letters that one round looks up in the queue or replays. */
const ROUND = 200

export interface DeadLettersDeps {
  db: Database
  queues: DeadLetterQueues
  log: Logger
}

export function createDeadLetters({ db, queues, log }: DeadLettersDeps): DeadLetters {
  /** Why a letter is not even taken to its queue; null: nothing speaks against it. */
  function whyNot(letter: DeadLetterRow | null): string | null {
    if (!letter) return 'There is no such dead letter.'
    if (letter.discardedAt) return 'It was discarded, or a later one stands for it.'
    if (letter.succeededAt) return SUCCEEDED
    return queues.tasks.includes(letter.queue) ? null : `There is no queue ${letter.queue} any more.`
  }

  /** Null: its job runs again. */
  async function putBack(letter: DeadLetterRow | null): Promise<string | null> {
    const reason = whyNot(letter)
    if (!letter || reason !== null) return reason
    const answer = await queues.replay(letter)
    if (answer === 'replayed') return null
    return answer === 'running' ? RUNNING : SUCCEEDED
  }

  /** Null: nothing of it runs, so it may be given up. */
  async function whyKeep(letter: DeadLetterRow | null): Promise<string | null> {
    const reason = whyNot(letter)
    // One of a queue that is gone has nowhere to run.
    if (!letter || letter.discardedAt || letter.succeededAt) return reason
    if (reason !== null) return null
    const standing = await queues.standing(letter.queue, letter.jobId)
    if (standing === 'running') return RUNNING
    return standing === 'succeeded' ? SUCCEEDED : null
  }

  /** Goes through letters one by one; each is accepted with null or refused with a reason. */
  async function sort(ids: Iterable<string>, decide: (id: string) => Promise<string | null>) {
    const accepted: string[] = []
    const refused: DeadLetterRefusal[] = []
    for (const id of new Set(ids)) {
      const decided = isStorable(id) ? decide(id) : Promise.resolve(whyNot(null))
      const reason = await decided.catch((error) => {
        if (!(error instanceof QueueUnavailable)) throw error
        log.warn({ err: error, deadLetterId: id }, 'dead letter left as it is')
        return UNREACHABLE
      })
      if (reason === null) accepted.push(id)
      else refused.push({ deadLetterId: id, reason })
    }
    return { accepted, refused }
  }

  async function replayWindow(actor: Account, window: NonNullable<ReplayInput['window']>) {
    const { queue = null, failedAfter, failedBefore } = window
    const perSecond = window.perSecond ?? DEFAULT_PER_SECOND
    const letters = await readWindow(db, { queue, failedAfter, failedBefore, limit: MOST_IN_WINDOW })
    const byId = new Map(letters.map((letter) => [letter.id, letter]))
    const { accepted, refused } = await sort(byId.keys(), async (id) => {
      const letter = byId.get(id) as DeadLetterRow
      const reason = whyNot(letter)
      // Only what was replayed before can be running; the rest need not be asked about one by one.
      if (reason !== null || !letter.replayedAt) return reason
      return (await queues.standing(letter.queue, letter.jobId)) === 'running' ? RUNNING : null
    })
    const detail = {
      window: {
        queue,
        failedAfter: failedAfter.toISOString(),
        failedBefore: failedBefore.toISOString(),
        perSecond,
      },
    }
    await planReplays(db, accepted, perSecond, { accountId: actor.id, action: 'replayDeadLetters', detail })
    await replayDue()
    return { replayed: accepted, refused }
  }

  async function replayDue(): Promise<number> {
    const due = await readDueReplays(db, ROUND)
    const { accepted, refused } = await sort(due, (id) => replayLetter(db, id, null, putBack))
    await settleRefused(refused)
    return accepted.length
  }

  /** What the queue has said of refused letters; one whose queue could not be reached stays due. */
  async function settleRefused(refused: readonly DeadLetterRefusal[]): Promise<void> {
    for (const { deadLetterId, reason } of refused) {
      if (reason === SUCCEEDED) await markSucceeded(db, [deadLetterId])
      else if (reason !== UNREACHABLE) await unplanReplay(db, deadLetterId)
    }
  }

  async function sweepQueue(queue: string): Promise<void> {
    const failedIds = await queues.failedIds(queue)
    const { known, discarded } = await readLettersOf(db, queue, failedIds)
    const unknown = failedIds.filter((id) => !known.has(id))
    for (let i = 0; i < unknown.length; i += ROUND) {
      await record(await queues.failed(queue, unknown.slice(i, i + ROUND)))
    }
    await forgetReplays(db, queue, failedIds)
    for (const jobId of discarded) await queues.drop(queue, jobId)
    for (const { id, jobId } of await openLettersNotIn(db, queue, failedIds, ROUND)) {
      if ((await queues.standing(queue, jobId)) === 'succeeded') await markSucceeded(db, [id])
    }
  }

  async function sweep(): Promise<void> {
    for (const queue of queues.tasks) await sweepQueue(queue)
  }

  function record(failures: readonly Failure[]): Promise<void> {
    return recordFailures(
      db,
      failures.map((failure) => ({
        ...failure,
        data: withoutSecrets(failure.data),
        error: withoutSecretsText(failure.error),
      })),
    )
  }

  return {
    async list({ queue = null, failedAfter = null, failedBefore = null, ...request }) {
      checkQueue(queue, ['queue'])
      const cursor = readTimeCursor(request.after)
      const rows = await listOpenLetters(db, {
        queue,
        failedAfter,
        failedBefore,
        after: cursor && { failedAt: cursor.at, id: cursor.id },
        limit: rowsToRead(request),
      })
      return toPage(rows, request, ({ exactFailedAt, id }) => [exactFailedAt, id], toView)
    },

    async find(id) {
      const letter = isStorable(id) ? await readLetter(db, id) : null
      return letter && toView(letter)
    },

    async replay(actor, { ids, window }) {
      if (window) {
        checkWindow(window)
        return replayWindow(actor, window)
      }
      checkIds(ids ?? [])
      const by: Decision = { accountId: actor.id, action: 'replayDeadLetters', detail: {} }
      const { accepted, refused } = await sort(ids ?? [], (id) => replayLetter(db, id, by, putBack))
      await settleRefused(refused)
      return { replayed: accepted, refused }
    },

    async discard(actor, { ids, reason }) {
      checkIds(ids)
      checkReason(reason)
      const by: Decision = { accountId: actor.id, action: 'discardDeadLetters', detail: { reason } }
      const { accepted, refused } = await sort(ids, (id) => discardLetter(db, id, by, whyKeep))
      // Their jobs leave the failed set. What this does not reach the next sweep does.
      await sweep().catch((error) => log.warn({ err: error }, 'discarded, and still in the queue'))
      return { discarded: accepted, refused }
    },

    record,
    succeeded: (queue, jobId) => markJobSucceeded(db, queue, jobId),
    sweep,
    replayDue,
  }
}

const UNREACHABLE = 'Its queue cannot be reached right now.'
const RUNNING = 'It still runs, or waits to run.'
const UNSTORABLE = 'Must not have NUL characters.'
const SUCCEEDED = 'It was replayed already, and succeeded.'

function toView({ id, queue, job, data, error, attempts, failedAt, replays }: DeadLetterRow): DeadLetterView {
  return { id, queue, job, data, error, attempts, failedAt, replays }
}

function checkIds(ids: readonly string[]): void {
  if (ids.length > MOST_IDS) {
    throw badInput({ path: ['input', 'ids'], message: `Name at most ${MOST_IDS}; a window takes more.` })
  }
}

function checkReason(reason: string): void {
  if (reason.trim() === '' || reason.length > LONGEST_REASON) {
    throw badInput({ path: ['input', 'reason'], message: `Must have 1 to ${LONGEST_REASON} characters.` })
  }
  if (!isStorable(reason)) throw badInput({ path: ['input', 'reason'], message: UNSTORABLE })
}

function checkQueue(queue: string | null, path: string[]): void {
  if (queue !== null && !isStorable(queue)) throw badInput({ path, message: UNSTORABLE })
}

function checkWindow({
  queue,
  failedAfter,
  failedBefore,
  perSecond,
}: NonNullable<ReplayInput['window']>): void {
  const path = ['input', 'window']
  checkQueue(queue ?? null, [...path, 'queue'])
  if (failedAfter >= failedBefore) {
    throw badInput({ path: [...path, 'failedBefore'], message: 'Must be after failedAfter.' })
  }
  if (perSecond != null && !(perSecond > 0 && perSecond <= FASTEST)) {
    throw badInput({ path: [...path, 'perSecond'], message: `Must be above 0 and at most ${FASTEST}.` })
  }
}

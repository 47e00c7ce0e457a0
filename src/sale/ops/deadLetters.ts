import type { Logger } from 'pino'
import type { Database } from '../../sql/database/database.ts'
import {
  type DeadLetterRow,
  type Decision,
  discardLetter,
  listOpenLetters,
  planReplays,
  readDueReplays,
  readLetter,
  readWindow,
  replayLetter,
  unplanReplay,
} from '../../sql/ops/deadLetters.ts'
import { markSubjectSucceeded, markSucceeded, readStanding } from '../../sql/ops/failedJobs.ts'
import type { Account } from '../caller.ts'
import { type Page, type PageRequest, readTimeCursor, rowsToRead, toPage } from '../page.ts'
import { isStorable } from '../storable.ts'
import { checkIds, checkQueue, checkReason, checkWindow, type ReplayInput } from './deadLetterInput.ts'
import { type DeadLetterQueues, QueueUnavailable } from './deadLetterQueues.ts'
import { createDeadLetterSweep, type DeadLetterSweep } from './deadLetterSweep.ts'

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

export interface DeadLetters extends DeadLetterSweep {
  /** Returns the letters that wait for ops: neither discarded nor settled. Last failed first. */
  list(request: PageRequest & DeadLetterFilter): Promise<Page<DeadLetterView>>
  find(id: string): Promise<DeadLetterView | null>
  /**
   * Runs jobs again: jobs named by id at once, jobs of a window one after the other at its pace. A replay has no
   * second effect, since the state in the database drives each job. A replay is still refused while its job runs.
   * `replayed`: the letters that were replayed or are scheduled for a replay.
   */
  replay(actor: Account, input: ReplayInput): Promise<{ replayed: string[]; refused: DeadLetterRefusal[] }>
  /**
   * Discards letters for good, and removes their jobs from the queues. The work is by hand from here: no job does it any
   * more, and the reconciliation shows it until it is done.
   */
  discard(
    actor: Account,
    input: { ids: readonly string[]; reason: string },
  ): Promise<{ discarded: string[]; refused: DeadLetterRefusal[] }>
  /** Which letters there are about a subject: `discarded`, else `open`, else `none`. */
  standing(queue: string, subject: string): Promise<'none' | 'open' | 'discarded'>
  /** Closes the letters about a subject, after any job for it has run with success. */
  succeeded(queue: string, subject: string): Promise<void>
  /** Replays the letters of windows that are due by now; returns their number. */
  replayDue(): Promise<number>
}

/** The most letters that one call takes from a window; another call takes the rest. */
const MOST_IN_WINDOW = 10_000
const DEFAULT_PER_SECOND = 10

/** The most letters that one round reads from the queue or replays. */
const ROUND = 200

export interface DeadLettersDeps {
  db: Database
  queues: DeadLetterQueues
  log: Logger
}

export function createDeadLetters({ db, queues, log }: DeadLettersDeps): DeadLetters {
  const { record, sweep } = createDeadLetterSweep({ db, queues })

  /** Returns the reason to refuse a letter without a call to its queue; null: there is none. */
  function refusalOf(letter: DeadLetterRow | null): string | null {
    if (!letter) return 'There is no such dead letter.'
    if (letter.discardedAt) return 'It was discarded.'
    if (letter.replacedAt) return 'A later dead letter about the same work replaces it.'
    if (letter.succeededAt) return SUCCEEDED
    return queues.tasks.includes(letter.queue) ? null : `There is no queue ${letter.queue} any more.`
  }

  /** Runs a letter's job again and returns null, or returns the reason to refuse it. */
  async function replayJob(letter: DeadLetterRow | null): Promise<string | null> {
    const reason = refusalOf(letter)
    if (!letter || reason !== null) return reason
    const answer = await queues.replay(letter)
    if (answer === 'replayed') return null
    return answer === 'running' ? RUNNING : SUCCEEDED
  }

  /** Returns the reason not to discard a letter; null: its job does not run, so it may be discarded. */
  async function discardRefusalOf(letter: DeadLetterRow | null): Promise<string | null> {
    const reason = refusalOf(letter)
    if (!letter || letter.discardedAt || letter.replacedAt || letter.succeededAt) return reason
    // The queue no longer exists, so the job cannot run.
    if (reason !== null) return null
    if (letter.subject !== null && (await queues.runs(letter.queue, letter.subject))) return RUNNING
    const state = await queues.jobState(letter.queue, letter.jobId)
    if (state === 'running') return RUNNING
    return state === 'succeeded' ? SUCCEEDED : null
  }

  /** Decides on letters one by one: `decide` returns null to accept a letter, or the reason to refuse it. */
  async function sort(ids: Iterable<string>, decide: (id: string) => Promise<string | null>) {
    const accepted: string[] = []
    const refused: DeadLetterRefusal[] = []
    for (const id of new Set(ids)) {
      const decided = isStorable(id) ? decide(id) : Promise.resolve(refusalOf(null))
      const reason = await decided.catch((error) => {
        if (!(error instanceof QueueUnavailable)) throw error
        log.warn({ err: error, deadLetterId: id }, 'the dead letter stays as it is')
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
      const reason = refusalOf(letter)
      // Only a letter that was replayed before can have a running job: the others need no call to the queue.
      if (reason !== null || !letter.replayedAt) return reason
      return (await queues.jobState(letter.queue, letter.jobId)) === 'running' ? RUNNING : null
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
    const { accepted, refused } = await sort(due, (id) => replayLetter(db, id, null, replayJob))
    await settleRefused(refused)
    return accepted.length
  }

  /** Records why replays were refused. A letter whose queue could not be reached stays due. */
  async function settleRefused(refused: readonly DeadLetterRefusal[]): Promise<void> {
    for (const { deadLetterId, reason } of refused) {
      if (reason === SUCCEEDED) await markSucceeded(db, [deadLetterId])
      else if (reason !== UNREACHABLE) await unplanReplay(db, deadLetterId)
    }
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
      const { accepted, refused } = await sort(ids ?? [], (id) => replayLetter(db, id, by, replayJob))
      await settleRefused(refused)
      return { replayed: accepted, refused }
    },

    async discard(actor, { ids, reason }) {
      checkIds(ids)
      checkReason(reason)
      const by: Decision = { accountId: actor.id, action: 'discardDeadLetters', detail: { reason } }
      const { accepted, refused } = await sort(ids, (id) => discardLetter(db, id, by, discardRefusalOf))
      // Removes the letters' jobs from the failed set. If it fails, the next sweep repeats it.
      await sweep().catch((error) => log.warn({ err: error }, 'discarded, but still in the queue'))
      return { discarded: accepted, refused }
    },

    record,
    standing: (queue, subject) => readStanding(db, queue, subject),
    succeeded: (queue, subject) => markSubjectSucceeded(db, queue, subject),
    sweep,
    replayDue,
  }
}

const UNREACHABLE = 'Its queue cannot be reached right now.'
const RUNNING = 'It still runs, or waits to run.'
const SUCCEEDED = 'It was already replayed, with success.'

function toView({ id, queue, job, data, error, attempts, failedAt, replays }: DeadLetterRow): DeadLetterView {
  return { id, queue, job, data, error, attempts, failedAt, replays }
}

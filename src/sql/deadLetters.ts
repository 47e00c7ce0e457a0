import type pg from 'pg'
import { uuidv7obj } from 'uuidv7'
import { Prisma } from '#prisma'
import { writeAudit } from './audit.ts'
import { exactTime } from './clock.ts'
import type { Database } from './database.ts'
import { inTransaction } from './transaction.ts'

/** A job's last failure. */
export interface Failure {
  queue: string
  job: string
  jobId: string
  data: unknown
  error: string
  attempts: number
  failedAt: Date
}

export interface DeadLetterRow extends Failure {
  id: string
  /** `failedAt`, for a cursor. */
  exactFailedAt: string
  replays: number
  /** The last replay, if its outcome is not known yet. */
  replayedAt: Date | null
  succeededAt: Date | null
  discardedAt: Date | null
}

const COLUMNS = `
  id, queue, job, job_id as "jobId", data, error, attempts, failed_at as "failedAt",
  ${exactTime('failed_at')} as "exactFailedAt", replays,
  replayed_at as "replayedAt", succeeded_at as "succeededAt", discarded_at as "discardedAt"`

// ---------------------------------------------------------------- from the queues

/**
 * Records jobs that failed for good. The same failure again changes nothing; another failure of the same job, after
 * a replay, opens its letter again. A discarded letter stays discarded.
 *
 * Of letters with the same data the last one stays open: the settler emits the same order again and again, and in a
 * night without the provider each order would leave a letter an hour.
 */
export async function recordFailures(db: Database, failures: readonly Failure[]): Promise<void> {
  for (const { queue, job, jobId, data, error, attempts, failedAt } of failures) {
    await db.prisma.$executeRaw`
      insert into dead_letters as l (id, queue, job, job_id, data, error, attempts, failed_at)
        values (${`dl_${uuidv7obj().toHex()}`}, ${queue}, ${job}, ${jobId}, ${JSON.stringify(data)}::jsonb, ${error},
          ${attempts}, ${failedAt}::timestamptz)
        on conflict (queue, job_id) do update
          set data = excluded.data, error = excluded.error, attempts = excluded.attempts,
            failed_at = excluded.failed_at, replayed_at = null, replay_at = null, succeeded_at = null
          where l.failed_at <> excluded.failed_at and l.discarded_at is null`
    await db.prisma.$executeRaw`
      update dead_letters
        set discarded_at = now(), replay_at = null
        where queue = ${queue} and md5(data::text) = md5(${JSON.stringify(data)}::jsonb::text) and job_id <> ${jobId}
          and failed_at < ${failedAt}::timestamptz and replayed_at is null
          and succeeded_at is null and discarded_at is null`
  }
}

/** Of jobs in a queue's failed set: those whose letter is open and not replayed, and those that were discarded. */
export async function readLettersOf(
  db: Database,
  queue: string,
  jobIds: readonly string[],
): Promise<{ known: Set<string>; discarded: string[] }> {
  const rows = await db.prisma.$queryRaw<{ jobId: string; discarded: boolean }[]>`
    select job_id as "jobId", discarded_at is not null as discarded
      from dead_letters
      where queue = ${queue} and job_id = any(${jobIds})
        and (discarded_at is not null or (replayed_at is null and succeeded_at is null))`
  return {
    known: new Set(rows.map(({ jobId }) => jobId)),
    discarded: rows.filter(({ discarded }) => discarded).map(({ jobId }) => jobId),
  }
}

/**
 * Removes the mark of a replay from letters whose jobs are in the failed set all the same: the process died before it
 * reached the queue, or the job failed again before the mark was made.
 */
export async function forgetReplays(db: Database, queue: string, jobIds: readonly string[]): Promise<void> {
  await db.prisma.$executeRaw`
    update dead_letters
      set replayed_at = null
      where queue = ${queue} and job_id = any(${jobIds}) and replayed_at < now() - interval '10 seconds'
        and succeeded_at is null and discarded_at is null`
}

/** Open letters of jobs that are not among the given ones, the last replayed first. */
export function openLettersNotIn(
  db: Database,
  queue: string,
  jobIds: readonly string[],
  limit: number,
): Promise<{ id: string; jobId: string }[]> {
  return db.prisma.$queryRaw`
    select id, job_id as "jobId"
      from dead_letters
      where queue = ${queue} and succeeded_at is null and discarded_at is null and job_id <> all(${jobIds})
      order by replayed_at desc nulls last, id desc
      limit ${limit}`
}

export async function markSucceeded(db: Database, ids: readonly string[]): Promise<void> {
  await db.prisma.$executeRaw`
    update dead_letters
      set succeeded_at = now(), replay_at = null
      where id = any(${ids}) and succeeded_at is null and discarded_at is null`
}

/** The open letter of a job that has run with success, if it has one. */
export async function markJobSucceeded(db: Database, queue: string, jobId: string): Promise<void> {
  await db.prisma.$executeRaw`
    update dead_letters
      set succeeded_at = now(), replay_at = null
      where queue = ${queue} and job_id = ${jobId} and succeeded_at is null and discarded_at is null`
}

// ---------------------------------------------------------------- for ops

/** Open letters, the last failed first: after the cursor `after`, from `failedAfter` on, before `failedBefore`. */
export function listOpenLetters(
  db: Database,
  {
    queue,
    failedAfter,
    failedBefore,
    after,
    limit,
  }: {
    queue: string | null
    failedAfter: Date | null
    failedBefore: Date | null
    after: { failedAt: string; id: string } | null
    limit: number
  },
): Promise<DeadLetterRow[]> {
  const older = after
    ? Prisma.sql`and (failed_at, id) < (${after.failedAt}::timestamptz, ${after.id})`
    : Prisma.empty
  return db.prisma.$queryRaw`
    select ${Prisma.raw(COLUMNS)}
      from dead_letters
      where ${isOpen(queue, failedAfter, failedBefore)} ${older}
      order by failed_at desc, id desc
      limit ${limit}`
}

export async function countOpenLetters(db: Database): Promise<number> {
  const [row] = await db.prisma.$queryRaw<[{ count: number }]>`
    select count(*)::int as count from dead_letters where ${isOpen(null, null, null)}`
  return row.count
}

/** Null where there is no such letter. */
export async function readLetter(db: Database, id: string): Promise<DeadLetterRow | null> {
  const [row] = await db.prisma.$queryRaw<DeadLetterRow[]>`
    select ${Prisma.raw(COLUMNS)} from dead_letters where id = ${id}`
  return row ?? null
}

/** A window's letters, the first failed first. */
export function readWindow(
  db: Database,
  {
    queue,
    failedAfter,
    failedBefore,
    limit,
  }: { queue: string | null; failedAfter: Date; failedBefore: Date; limit: number },
): Promise<DeadLetterRow[]> {
  return db.prisma.$queryRaw`
    select ${Prisma.raw(COLUMNS)}
      from dead_letters
      where ${isOpen(queue, failedAfter, failedBefore)}
      order by failed_at, id
      limit ${limit}`
}

function isOpen(queue: string | null, from: Date | null, before: Date | null): Prisma.Sql {
  return Prisma.sql`succeeded_at is null and discarded_at is null
    and (${queue}::text is null or queue = ${queue})
    and (${from}::timestamptz is null or failed_at >= ${from})
    and (${before}::timestamptz is null or failed_at < ${before})`
}

/** The account and the mutation of a decision, for the audit trail. */
export interface Decision {
  accountId: string
  action: 'replayDeadLetters' | 'discardDeadLetters'
  detail: object
}

/** Decides about a letter, as it is under its lock: returns null to accept, or the reason to refuse. */
export type Decide = (letter: DeadLetterRow | null) => Promise<string | null>

/**
 * Replays a letter: `decide` puts its job back. Decisions about one letter exclude each other. Where the commit after
 * `decide` fails, the job runs without a mark of it, and the sweep corrects that.
 *
 * `by` is null where the decision was recorded before, with a window.
 */
export function replayLetter(
  db: Database,
  id: string,
  by: Decision | null,
  decide: Decide,
): Promise<string | null> {
  return decideOn(db, id, decide, async (client) => {
    await client.query(
      'update dead_letters set replays = replays + 1, replayed_at = now(), replay_at = null where id = $1',
      [id],
    )
    if (by) await writeAudit(client, { ...by, eventId: null, subject: id })
  })
}

/** Discards a letter where `decide` accepts. */
export function discardLetter(
  db: Database,
  id: string,
  by: Decision,
  decide: Decide,
): Promise<string | null> {
  return decideOn(db, id, decide, async (client) => {
    await client.query('update dead_letters set discarded_at = now(), replay_at = null where id = $1', [id])
    await writeAudit(client, { ...by, eventId: null, subject: id })
  })
}

function decideOn(
  db: Database,
  id: string,
  decide: Decide,
  accept: (client: pg.PoolClient) => Promise<void>,
): Promise<string | null> {
  return inTransaction(db, async (client) => {
    const { rows } = await client.query<DeadLetterRow>(
      `select ${COLUMNS} from dead_letters where id = $1 for update`,
      [id],
    )
    const reason = await decide(rows[0] ?? null)
    if (reason === null) await accept(client)
    return reason
  })
}

/** Schedules letters to be replayed in order, `perSecond` of them a second, the first at once. */
export function planReplays(
  db: Database,
  ids: readonly string[],
  perSecond: number,
  by: Decision,
): Promise<void> {
  return inTransaction(db, async (client) => {
    await client.query(
      `update dead_letters l
         set replay_at = now() + make_interval(secs => (p.position - 1) / $2::float8)
         from unnest($1::text[]) with ordinality as p (id, position)
         where l.id = p.id and l.succeeded_at is null and l.discarded_at is null`,
      [ids, perSecond],
    )
    for (const subject of ids) await writeAudit(client, { ...by, eventId: null, subject })
  })
}

/** Ids of letters whose replay is due, in order. */
export async function readDueReplays(db: Database, limit: number): Promise<string[]> {
  const rows = await db.prisma.$queryRaw<{ id: string }[]>`
    select id from dead_letters where replay_at <= now() order by replay_at limit ${limit}`
  return rows.map(({ id }) => id)
}

/** Cancels a scheduled replay: the job runs already. */
export async function unplanReplay(db: Database, id: string): Promise<void> {
  await db.prisma.$executeRaw`update dead_letters set replay_at = null where id = ${id}`
}

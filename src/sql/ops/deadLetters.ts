import type pg from 'pg'
import { Prisma } from '#prisma'
import { exactTime } from '../database/clock.ts'
import type { Database } from '../database/database.ts'
import { inTransaction } from '../database/transaction.ts'
import { writeAudit } from './audit.ts'

/** A job's last failure. */
export interface Failure {
  queue: string
  job: string
  jobId: string
  /** The subject of the job's work; null where its data are not valid. */
  subject: string | null
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
  replacedAt: Date | null
}

const COLUMNS = `
  id, queue, job, job_id as "jobId", subject, data, error, attempts, failed_at as "failedAt",
  ${exactTime('failed_at')} as "exactFailedAt", replays,
  replayed_at as "replayedAt", succeeded_at as "succeededAt", discarded_at as "discardedAt",
  replaced_at as "replacedAt"`

/** For the condition of a statement: the letter waits for ops. */
export const IS_OPEN =
  'dead_letters.succeeded_at is null and dead_letters.discarded_at is null and dead_letters.replaced_at is null'

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
  return Prisma.sql`${Prisma.raw(IS_OPEN)}
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
      `update dead_letters
         set replay_at = now() + make_interval(secs => (p.position - 1) / $2::float8)
         from unnest($1::text[]) with ordinality as p (id, position)
         where dead_letters.id = p.id and ${IS_OPEN}`,
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

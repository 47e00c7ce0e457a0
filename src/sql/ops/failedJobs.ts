import { uuidv7obj } from 'uuidv7'
import { Prisma } from '#prisma'
import type { Database } from '../database/database.ts'
import { type Failure, IS_OPEN } from './deadLetters.ts'

const OPEN = Prisma.raw(IS_OPEN)

/**
 * Records jobs that failed for good. The same failure again changes nothing; another failure of the same job, after
 * a replay, opens its letter again. A discarded letter stays discarded, and a new failure about its subject is discarded
 * too where the job's work is done once: `leftToOps` has the names of those jobs.
 *
 * Of letters with the same data the last one stays open: the settler emits the same order again and again, and in a
 * night without the provider each order would leave a letter an hour.
 */
export async function recordFailures(
  db: Database,
  failures: readonly Failure[],
  leftToOps: readonly string[],
): Promise<void> {
  for (const { queue, job, jobId, subject, data, error, attempts, failedAt } of failures) {
    await db.prisma.$executeRaw`
      insert into dead_letters as l (
          id, queue, job, job_id, subject, data, error, attempts, failed_at, discarded_at
        ) values (
          ${`dl_${uuidv7obj().toHex()}`}, ${queue}, ${job}, ${jobId}, ${subject}, ${JSON.stringify(data)}::jsonb,
          ${error}, ${attempts}, ${failedAt}::timestamptz,
          case when ${queue} = any(${leftToOps}) and is_left_to_ops(${queue}, ${subject}) then now() end
        )
        on conflict (queue, job_id) do update
          set data = excluded.data, error = excluded.error, attempts = excluded.attempts,
            failed_at = excluded.failed_at, replayed_at = null, replay_at = null, succeeded_at = null
          where l.failed_at <> excluded.failed_at and l.discarded_at is null and l.replaced_at is null`
    await db.prisma.$executeRaw`
      update dead_letters
        set replaced_at = now(), replay_at = null
        where queue = ${queue} and md5(data::text) = md5(${JSON.stringify(data)}::jsonb::text) and job_id <> ${jobId}
          and failed_at < ${failedAt}::timestamptz and replayed_at is null and ${OPEN}`
  }
}

/** Of jobs in a queue's failed set: those whose letter is open and not replayed. */
export async function readKnownJobs(
  db: Database,
  queue: string,
  jobIds: readonly string[],
): Promise<Set<string>> {
  const rows = await db.prisma.$queryRaw<{ jobId: string }[]>`
    select job_id as "jobId"
      from dead_letters
      where queue = ${queue} and job_id = any(${jobIds}) and replayed_at is null and ${OPEN}`
  return new Set(rows.map(({ jobId }) => jobId))
}

/** Of jobs in a queue's failed set: those whose letter is closed, so that the jobs may leave the queue. */
export async function readClosedJobs(
  db: Database,
  queue: string,
  jobIds: readonly string[],
): Promise<string[]> {
  const rows = await db.prisma.$queryRaw<{ jobId: string }[]>`
    select job_id as "jobId"
      from dead_letters
      where queue = ${queue} and job_id = any(${jobIds}) and not (${OPEN})`
  return rows.map(({ jobId }) => jobId)
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
        and ${OPEN}`
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
      where queue = ${queue} and ${OPEN} and job_id <> all(${jobIds})
      order by replayed_at desc nulls last, id desc
      limit ${limit}`
}

export async function markSucceeded(db: Database, ids: readonly string[]): Promise<void> {
  await db.prisma.$executeRaw`
    update dead_letters set succeeded_at = now(), replay_at = null where id = any(${ids}) and ${OPEN}`
}

/** Closes the open letters about a subject, after a job for it has run with success. */
export async function markSubjectSucceeded(db: Database, queue: string, subject: string): Promise<void> {
  await db.prisma.$executeRaw`
    update dead_letters
      set succeeded_at = now(), replay_at = null
      where queue = ${queue} and subject = ${subject} and ${OPEN}`
}

/** Which letters there are about a subject: `discarded`, else `open`, else `none`. */
export async function readStanding(
  db: Database,
  queue: string,
  subject: string,
): Promise<'none' | 'open' | 'discarded'> {
  const [row] = await db.prisma.$queryRaw<[{ standing: 'none' | 'open' | 'discarded' }]>`
    select case when is_left_to_ops(${queue}, ${subject}) then 'discarded' when exists (
        select from dead_letters where queue = ${queue} and subject = ${subject} and ${OPEN}
      ) then 'open' else 'none' end as standing`
  return row.standing
}

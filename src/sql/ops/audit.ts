import { uuidv7obj } from 'uuidv7'
import { exactTime } from '../database/clock.ts'
import type { Database } from '../database/database.ts'

/** A mutation by an organizer or ops. */
export interface AuditEntryRow {
  readonly id: string
  readonly eventId: string | null
  readonly at: Date
  readonly accountId: string
  /** The mutation's name. */
  readonly action: string
  /** The id of its subject. */
  readonly subject: string
  readonly detail: unknown
}

export type NewAuditEntry = Omit<AuditEntryRow, 'id' | 'at'>

/** A connection or pool that runs a statement; inside a transaction, its client. */
interface Runner {
  query(text: string, values: unknown[]): Promise<unknown>
}

/** Writes an entry; with a transaction's client, in the same commit as the change that it records. */
export async function writeAudit(runner: Runner, entry: NewAuditEntry): Promise<void> {
  await runner.query(
    `insert into audit_entries (id, event_id, account_id, action, subject, detail)
     values ($1, $2, $3, $4, $5, $6)`,
    [
      `aud_${uuidv7obj().toHex()}`,
      entry.eventId,
      entry.accountId,
      entry.action,
      entry.subject,
      JSON.stringify(entry.detail),
    ],
  )
}

/** Entries of one event or of all, newest first, after the one at `after` where it is given. `exactAt`: for its cursor. */
export async function readAudit(
  { pool }: Database,
  eventId: string | null,
  after: { at: string; id: string } | null,
  limit: number,
): Promise<(AuditEntryRow & { readonly exactAt: string })[]> {
  const { rows } = await pool.query(
    `select ${COLUMNS}, ${exactTime('at')} as "exactAt" from audit_entries
     where ($1::text is null or event_id = $1)
       and ($2::timestamptz is null or (at, id) < ($2::timestamptz, $3::text))
     order by at desc, id desc
     limit $4`,
    [eventId, after?.at ?? null, after?.id ?? null, limit],
  )
  return rows
}

export async function findAuditEntry({ pool }: Database, id: string): Promise<AuditEntryRow | null> {
  const { rows } = await pool.query(`select ${COLUMNS} from audit_entries where id = $1`, [id])
  return rows[0] ?? null
}

const COLUMNS = 'id, event_id as "eventId", at, account_id as "accountId", action, subject, detail'

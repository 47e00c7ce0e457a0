import type { Database } from '../database/database.ts'
import { inTransaction } from '../database/transaction.ts'
import { writeAudit } from '../ops/audit.ts'

export async function isEventOwner({ pool }: Database, eventId: string, accountId: string): Promise<boolean> {
  const { rowCount } = await pool.query('select from event_owners where event_id = $1 and account_id = $2', [
    eventId,
    accountId,
  ])
  return rowCount === 1
}

/**
 * Removes and adds owners, with the audit entry, in one transaction, and returns the owners. `check` gets the new owners
 * under the event's lock, and throws to undo the change.
 */
export function changeEventOwners(
  db: Database,
  accountId: string,
  eventId: string,
  change: { readonly add: readonly string[]; readonly remove: readonly string[] },
  check: (owners: readonly string[]) => void,
): Promise<string[]> {
  return inTransaction(db, async (client) => {
    await client.query('select from events where id = $1 for no key update', [eventId])
    await client.query('delete from event_owners where event_id = $1 and account_id = any ($2)', [
      eventId,
      change.remove,
    ])
    await client.query(
      'insert into event_owners (event_id, account_id) select $1, unnest($2::text[]) on conflict do nothing',
      [eventId, change.add],
    )
    const { rows } = await client.query<{ accountId: string }>(
      'select account_id as "accountId" from event_owners where event_id = $1 order by account_id',
      [eventId],
    )
    const owners = rows.map((row) => row.accountId)
    check(owners)
    if (change.add.length + change.remove.length > 0)
      await writeAudit(client, {
        eventId,
        accountId,
        action: 'changeEventOwners',
        subject: eventId,
        detail: change,
      })
    return owners
  })
}

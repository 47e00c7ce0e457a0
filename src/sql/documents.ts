import type { Database } from './database/database.ts'

/** An account, and the language of its mails. */
export interface HolderRow {
  accountId: string
  locale: string | null
}

/** The account of an order; null where there is no such order. */
export async function readHolder(db: Database, eventId: string, orderId: string): Promise<HolderRow | null> {
  const [row] = await db.prisma.$queryRaw<HolderRow[]>`
    select o.account_id as "accountId", l.locale
      from orders o
      left join account_languages l on l.account_id = o.account_id
      where o.event_id = ${eventId} and o.id = ${orderId}`
  return row ?? null
}

/** The account of a ticket; null where there is no such ticket. */
export async function readHolderOfTicket(
  db: Database,
  eventId: string,
  ticketId: string,
): Promise<HolderRow | null> {
  const [row] = await db.prisma.$queryRaw<HolderRow[]>`
    select t.account_id as "accountId", l.locale
      from tickets t
      left join account_languages l on l.account_id = t.account_id
      where t.event_id = ${eventId} and t.id = ${ticketId}`
  return row ?? null
}

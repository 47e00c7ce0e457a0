import type { Database } from './database.ts'

/** The account of an order, and the language of its mails; null where there is no such order. */
export async function readHolder(
  db: Database,
  eventId: string,
  orderId: string,
): Promise<{ accountId: string; locale: string | null } | null> {
  const [row] = await db.prisma.$queryRaw<{ accountId: string; locale: string | null }[]>`
    select o.account_id as "accountId", l.locale
      from orders o
      left join account_languages l on l.account_id = o.account_id
      where o.event_id = ${eventId} and o.id = ${orderId}`
  return row ?? null
}

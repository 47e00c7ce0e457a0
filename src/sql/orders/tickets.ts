import type { Database } from '../database/database.ts'

/** The order that a ticket of this account belongs to; null where the account has no such ticket. */
export async function findOrderOfTicket(
  db: Database,
  accountId: string,
  eventId: string,
  ticketId: string,
): Promise<string | null> {
  const ticket = await db.prisma.ticket.findUnique({
    where: { eventId_id: { eventId, id: ticketId } },
    select: { orderId: true, accountId: true },
  })
  return ticket?.accountId === accountId ? ticket.orderId : null
}

/** The numbers of an event's void tickets. */
export async function readVoidTicketNos(db: Database, eventId: string): Promise<number[]> {
  const rows = await db.prisma.$queryRaw<{ no: number }[]>`
    select no from tickets where event_id = ${eventId} and voided_at is not null`
  return rows.map(({ no }) => no)
}

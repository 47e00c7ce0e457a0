import type { Database } from './database/database.ts'

export const MAIL_KINDS = ['CONFIRMED', 'CANCELLED', 'SEATS_GONE', 'REFUND_OWED', 'REFUNDED'] as const
export type MailKind = (typeof MAIL_KINDS)[number]

/** The key of an order's mail. See the model Mail in prisma/schema.prisma. */
export interface MailKey {
  readonly orderId: string
  readonly kind: MailKind
  readonly occasion: string
}

export interface MailRow {
  email: string
  accountId: string
  /** Of REFUND_OWED and REFUNDED: what this refund returns. */
  amount: bigint | null
  /** The language of the account's mails; null where no client named one. */
  locale: string | null
}

/** How long a run may take to send a mail. Longer than the mailer's own deadline. */
const TAKEN_SECONDS = 60

/**
 * Takes a mail, so that no other run sends it for a minute. `ended`: it is sent, or overtaken. `taken`: another run is sending
 * it. A mail that was refused for good can be taken again: only a replay of its dead letter comes to that.
 */
export async function takeMail(
  db: Database,
  eventId: string,
  { orderId, kind, occasion }: MailKey,
): Promise<MailRow | 'ended' | 'taken'> {
  const [row] = await db.prisma.$queryRaw<MailRow[]>`
    update mails m
      set taken_to = now() + make_interval(secs => ${TAKEN_SECONDS}::float8), ended_at = null, outcome = null
      from orders o
      left join account_languages l on l.account_id = o.account_id
      where m.event_id = ${eventId} and m.order_id = ${orderId} and m.kind = ${kind} and m.occasion = ${occasion}
        and o.event_id = m.event_id and o.id = m.order_id and o.email is not null
        and (m.outcome is null or m.outcome = 'REFUSED')
        and (m.taken_to is null or m.taken_to < now())
      returning o.email, o.account_id as "accountId", m.amount, l.locale`
  if (row) return row
  const open = await db.prisma.mail.findUnique({
    where: { eventId_orderId_kind_occasion: { eventId, orderId, kind, occasion } },
    select: { outcome: true },
  })
  return open && open.outcome === null ? 'taken' : 'ended'
}

/** Ends a mail. */
export async function endMail(
  db: Database,
  eventId: string,
  { orderId, kind, occasion }: MailKey,
  outcome: 'SENT' | 'REFUSED' | 'OVERTAKEN',
): Promise<void> {
  await db.prisma.$executeRaw`
    update mails
      set ended_at = now(), outcome = ${outcome}, taken_to = null
      where event_id = ${eventId} and order_id = ${orderId} and kind = ${kind} and occasion = ${occasion}`
}

/** Gives a mail back that was not sent, so that the next run need not wait. */
export async function giveMailBack(
  db: Database,
  eventId: string,
  { orderId, kind, occasion }: MailKey,
): Promise<void> {
  await db.prisma.$executeRaw`
    update mails
      set taken_to = null
      where event_id = ${eventId} and order_id = ${orderId} and kind = ${kind} and occasion = ${occasion}
        and ended_at is null`
}

/** Far longer than a mail takes. The queue skips a mail whose job still waits for its next attempt. */
const EMIT_AGAIN_MINUTES = 15

/**
 * Writes an outbox row for up to `limit` mails that are due: new ones, and those whose job Redis has lost. A mail with a dead
 * letter waits for ops. Returns how many.
 */
export function emitDueMails(db: Database, limit: number): Promise<number> {
  return db.prisma.$executeRaw`
    with due as (
      select event_id, order_id, kind, occasion,
          jsonb_build_object('orderId', order_id, 'kind', kind, 'occasion', occasion) as data
        from mails
        where ended_at is null and due_at <= now()
        order by due_at
        limit ${limit}
        for no key update skip locked
    ), emitted as (
      update mails m
        set due_at = now() + make_interval(mins => ${EMIT_AGAIN_MINUTES})
        from due d
        where m.event_id = d.event_id and m.order_id = d.order_id and m.kind = d.kind and m.occasion = d.occasion
        returning d.data
    )
    insert into outbox (job, data)
      select 'sendMail', data
        from emitted e
        where not exists (
          select from dead_letters l where l.queue = 'sendMail' and l.data = e.data and l.succeeded_at is null)`
}

/** Keeps the language of an account's mails. */
export async function keepLanguage(db: Database, accountId: string, locale: string): Promise<void> {
  await db.prisma.$executeRaw`
    insert into account_languages as l (account_id, locale) values (${accountId}, ${locale})
      on conflict (account_id) do update set locale = excluded.locale where l.locale <> excluded.locale`
}

/** Null where no client has named the account's language. */
export async function readLanguage(db: Database, accountId: string): Promise<string | null> {
  const row = await db.prisma.accountLanguage.findUnique({ where: { accountId } })
  return row?.locale ?? null
}

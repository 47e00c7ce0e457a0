import { Prisma } from '#prisma'
import type { DeclineReason } from '../../declineReason.ts'
import type { Money } from '../../money.ts'
import type { Database } from '../database/database.ts'
import { inTransaction } from '../database/transaction.ts'

export type SandboxState =
  | 'unconfirmed'
  | 'processing'
  | 'action_required'
  | 'authorized'
  | 'captured'
  | 'declined'
  | 'cancelled'

/** A payment in the memory of the sandbox's card network. */
export interface SandboxPaymentRow {
  intentId: string
  orderId: string
  eventId: string
  paymentMethod: string
  amount: bigint
  currency: string
  state: SandboxState
  declineReason: DeclineReason | null
  captured: bigint
  returnUrl: string
  createdAt: Date
  confirmedAt: Date | null
}

export interface SandboxRefundRow {
  refundId: string
  intentId: string
  amount: bigint
  state: 'done' | 'pending' | 'failed'
}

/** Cards whose answer comes some seconds after their confirmation, and the answer. */
const LATER = Prisma.sql`(values ('pm_approved_later', 'authorized', null), ('pm_declined_later', 'declined', 'OTHER'))
  as l (card, state, reason)`
const LATER_SECONDS = 5
const AUTHORIZED_DAYS = 7

/** Whether ops have switched the network off. */
export async function isSandboxOut({ pool }: Database): Promise<boolean> {
  const { rows } = await pool.query('select exists (select from sandbox_outages) as out')
  return rows[0].out
}

/** Switches the network off or on, for every process. */
export async function setSandboxOutage(db: Database, out: boolean): Promise<void> {
  await (out
    ? db.prisma.$executeRaw`insert into sandbox_outages default values on conflict do nothing`
    : db.prisma.$executeRaw`delete from sandbox_outages`)
}

/** Writes a new payment; returns how many its order had before. */
export async function insertSandboxPayment(
  db: Database,
  payment: Pick<SandboxPaymentRow, 'intentId' | 'orderId' | 'eventId' | 'paymentMethod' | 'returnUrl'> & {
    amount: Money
  },
): Promise<number> {
  const { intentId, orderId, eventId, paymentMethod, returnUrl, amount } = payment
  const [row] = await db.prisma.$queryRaw<[{ before: number }]>`
    with made as (
      insert into sandbox_payments (intent_id, order_id, event_id, payment_method, amount, currency, state, return_url)
        values (${intentId}, ${orderId}, ${eventId}, ${paymentMethod}, ${amount.amount}, ${amount.currency},
          'unconfirmed', ${returnUrl})
    )
    select count(*)::int as before from sandbox_payments where event_id = ${eventId} and order_id = ${orderId}`
  return row.before
}

/** Time changes a payment too: late answers come, and authorizations lapse. */
async function ripen(db: Database, where: Prisma.Sql): Promise<void> {
  await db.prisma.$executeRaw`
    update sandbox_payments p
      set state = l.state, decline_reason = l.reason
      from ${LATER}
      where ${where} and p.state = 'processing' and p.payment_method = l.card
        and p.confirmed_at <= now() - make_interval(secs => ${LATER_SECONDS})`
  await db.prisma.$executeRaw`
    update sandbox_payments p
      set state = 'cancelled'
      where ${where} and p.state = 'authorized' and p.confirmed_at <= now() - make_interval(days => ${AUTHORIZED_DAYS})`
}

/** Null where the network has no such payment. */
export async function readSandboxPayment(db: Database, intentId: string): Promise<SandboxPaymentRow | null> {
  const read = async () =>
    (await db.prisma.sandboxPayment.findUnique({ where: { intentId } })) as SandboxPaymentRow | null
  const row = await read()
  const changes = row && (row.state === 'processing' || row.state === 'authorized')
  if (!changes) return row
  await ripen(db, Prisma.sql`p.intent_id = ${intentId}`)
  return read()
}

/** Moves a payment from one of some states to another; false where it was in none of them. */
export async function moveSandboxPayment(
  db: Database,
  intentId: string,
  from: readonly SandboxState[],
  to: SandboxState,
  { declineReason = null }: { declineReason?: DeclineReason | null } = {},
): Promise<boolean> {
  const changed = await db.prisma.$executeRaw`
    update sandbox_payments
      set state = ${to}, decline_reason = ${declineReason},
        captured = case when ${to} = 'captured' then amount else 0 end,
        confirmed_at = case when state = 'unconfirmed' and ${to} <> 'cancelled' then now() else confirmed_at end
      where intent_id = ${intentId} and state = any (${from})`
  return changed === 1
}

/**
 * Writes a refund once for its id, and returns it; null where less of the money is left. `state` is that of a new refund; one
 * that failed returns nothing, and leaves as much as before.
 */
export function refundSandboxPayment(
  db: Database,
  { refundId, intentId, amount }: Pick<SandboxRefundRow, 'refundId' | 'intentId' | 'amount'>,
  state: SandboxRefundRow['state'],
): Promise<{ refund: SandboxRefundRow; isNew: boolean } | null> {
  return inTransaction(db, async (client) => {
    const { rows: payments } = await client.query<{ captured: string }>(
      'select captured from sandbox_payments where intent_id = $1 for update',
      [intentId],
    )
    const { rows } = await client.query<Omit<SandboxRefundRow, 'amount'> & { amount: string }>(
      `select refund_id as "refundId", intent_id as "intentId", amount, state from sandbox_refunds where refund_id = $1`,
      [refundId],
    )
    if (rows[0]) return { refund: { ...rows[0], amount: BigInt(rows[0].amount) }, isNew: false }
    const { rows: sums } = await client.query<{ sum: string }>(
      `select coalesce(sum(amount), 0)::text as sum from sandbox_refunds where intent_id = $1 and state <> 'failed'`,
      [intentId],
    )
    if (BigInt(payments[0]?.captured ?? 0) - BigInt(sums[0]?.sum ?? 0) < amount) return null
    await client.query(
      'insert into sandbox_refunds (refund_id, intent_id, amount, state) values ($1, $2, $3, $4)',
      [refundId, intentId, String(amount), state],
    )
    return { refund: { refundId, intentId, amount, state }, isNew: true }
  })
}

/** The refunds of some payments; one that was pending is done some seconds later. */
export async function readSandboxRefunds(
  db: Database,
  intentIds: readonly string[],
): Promise<SandboxRefundRow[]> {
  await db.prisma.$executeRaw`
    update sandbox_refunds
      set state = 'done'
      where intent_id = any (${intentIds}) and state = 'pending'
        and created_at <= now() - make_interval(secs => ${LATER_SECONDS})`
  return (await db.prisma.sandboxRefund.findMany({
    where: { intentId: { in: [...intentIds] } },
    orderBy: { createdAt: 'asc' },
  })) as SandboxRefundRow[]
}

/** An event's payments by intent, after the intent `after`. */
export async function listSandboxPayments(
  db: Database,
  eventId: string,
  after: string,
  limit: number,
): Promise<SandboxPaymentRow[]> {
  if (after === '') await ripen(db, Prisma.sql`p.event_id = ${eventId}`)
  return (await db.prisma.sandboxPayment.findMany({
    where: { eventId, intentId: { gt: after } },
    orderBy: { intentId: 'asc' },
    take: limit,
  })) as SandboxPaymentRow[]
}

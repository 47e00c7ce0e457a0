import type { DeclineReason } from '../declineReason.ts'
import type { Money } from '../money.ts'
import type { Database } from './database.ts'

/** An order in the memory of the sandbox's card network. */
export interface SandboxPaymentRow {
  orderId: string
  authorizationId: string | null
  paymentMethod: string
  amount: bigint
  currency: string
  state: 'pending' | 'authorized' | 'captured' | 'voided' | 'declined'
  declineReason: DeclineReason | null
  createdAt: Date
}

export interface SandboxAnswer {
  authorizationId: string | null
  declineReason: DeclineReason | null
  state: 'pending' | 'authorized' | 'declined'
}

export async function readSandboxPayment(db: Database, orderId: string): Promise<SandboxPaymentRow | null> {
  return (await db.prisma.sandboxPayment.findUnique({ where: { orderId } })) as SandboxPaymentRow | null
}

/** Records the first answer of an order, or the answer to one that was pending. False where it has one already. */
export async function answerSandboxPayment(
  db: Database,
  { orderId, amount, paymentMethod }: { orderId: string; amount: Money; paymentMethod: string },
  { authorizationId, declineReason, state }: SandboxAnswer,
): Promise<boolean> {
  const changed = await db.prisma.$executeRaw`
    insert into sandbox_payments as p
        (order_id, authorization_id, payment_method, amount, currency, state, decline_reason)
      values (
        ${orderId}, ${authorizationId}, ${paymentMethod}, ${amount.amount}, ${amount.currency}, ${state},
        ${declineReason}
      )
      on conflict (order_id) do update
        set authorization_id = excluded.authorization_id, state = excluded.state,
          decline_reason = excluded.decline_reason
        where p.state = 'pending' and excluded.state <> 'pending'`
  return changed === 1
}

/** authorized -> captured, while the authorization lasts; false where it was something else. */
export async function captureSandboxPayment(db: Database, orderId: string): Promise<boolean> {
  const changed = await db.prisma.$executeRaw`
    update sandbox_payments
      set state = 'captured'
      where order_id = ${orderId} and state = 'authorized' and created_at > now() - interval '7 days'`
  return changed === 1
}

/** authorized or captured -> voided, which includes a refund; false where it was something else. */
export async function voidSandboxPayment(db: Database, orderId: string): Promise<boolean> {
  const changed = await db.prisma.$executeRaw`
    update sandbox_payments
      set state = 'voided'
      where order_id = ${orderId} and state in ('authorized', 'captured')`
  return changed === 1
}

/** An event's payments by order id, after the id `after`. An order's id begins with its event's. */
export function listSandboxPayments(
  db: Database,
  eventId: string,
  after: string,
  limit: number,
): Promise<SandboxPaymentRow[]> {
  const first = `ord_${eventId.slice(4)}_`
  return db.prisma.sandboxPayment.findMany({
    where: { orderId: { startsWith: first, gt: after === '' ? first : after } },
    orderBy: { orderId: 'asc' },
    take: limit,
  }) as Promise<SandboxPaymentRow[]>
}

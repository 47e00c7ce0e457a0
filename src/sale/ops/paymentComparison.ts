import type { ProviderPayment } from '../../payments/provider.ts'
import type { ReconciledOrder } from '../../sql/ops/reconciliation.ts'

/** How long the money may take to follow an order, with every retry, while nothing is wrong. */
const UNDER_WAY_SECONDS = 600

export interface Disagreement {
  kind:
    | 'CONFIRMED_NOT_CAPTURED'
    | 'CAPTURE_WITHOUT_ORDER'
    | 'VOID_MISSING'
    | 'CAPTURED_AMOUNT_DIFFERS'
    | 'REFUND_OWED'
    | 'REFUNDED_AMOUNT_DIFFERS'
  detail: string
}

/**
 * Returns how an order and the provider's record of its payment contradict each other; null: they agree, or the order is in
 * progress. `order` is null for a payment that is no order's own.
 */
export function disagreement(
  order: ReconciledOrder | null,
  payment: ProviderPayment | null,
): Disagreement | null {
  const says = `the provider reports ${payment ? inWords(payment) : 'no payment'}`
  if (!order) return payment && money(payment, `not the payment of an order; ${says}`)
  const is = `${order.state}, payment ${order.payment}; ${says}`
  const isUnderWay =
    (order.moneyDue !== null || order.payment === 'REFUND_OWED') && order.age < UNDER_WAY_SECONDS
  if (isUnderWay && order.state !== 'CONFIRMED') return null
  switch (order.state) {
    case 'PAYING':
      return payment?.status.state === 'captured' ? { kind: 'CAPTURE_WITHOUT_ORDER', detail: is } : null
    case 'CONFIRMED':
      return confirmed(order, payment, is, isUnderWay)
    default:
      if (order.payment === 'REFUND_OWED') return { kind: 'REFUND_OWED', detail: is }
      // Refunded by ops, and the sale keeps the fees.
      if (order.payment === 'PARTIALLY_REFUNDED' && payment) return refunded(order, payment, is)
      return payment && money(payment, is)
  }
}

/** Of a payment that should have no money, or no more of it. */
function money(payment: ProviderPayment, detail: string): Disagreement | null {
  if (payment.captured > refundedOf(payment)) return { kind: 'CAPTURE_WITHOUT_ORDER', detail }
  // The last two may still become an authorization.
  const mayHold = ['authorized', 'processing', 'action_required'].includes(payment.status.state)
  return mayHold ? { kind: 'VOID_MISSING', detail } : null
}

function confirmed(
  order: ReconciledOrder,
  payment: ProviderPayment | null,
  is: string,
  isUnderWay: boolean,
): Disagreement | null {
  // A free order has no payment at the provider.
  if (order.amount === 0n && !payment) return null
  const isCaptured = payment?.status.state === 'captured'
  if (!payment || !(isCaptured || payment.status.state === 'authorized'))
    return { kind: 'CONFIRMED_NOT_CAPTURED', detail: is }
  const { amount, currency } = order
  const taken = isCaptured ? payment.captured : payment.amount.amount
  if (taken !== amount || payment.amount.currency !== currency)
    return { kind: 'CAPTURED_AMOUNT_DIFFERS', detail: `${format(amount, currency)}; ${is}` }
  if (isUnderWay) return null
  if (order.payment === 'AUTHORIZED' || !isCaptured) return { kind: 'CONFIRMED_NOT_CAPTURED', detail: is }
  if (order.payment === 'REFUND_OWED') return { kind: 'REFUND_OWED', detail: is }
  return refunded(order, payment, is)
}

function refunded(order: ReconciledOrder, payment: ProviderPayment, is: string): Disagreement | null {
  const { currency } = order
  return refundedOf(payment) === order.refunded
    ? null
    : { kind: 'REFUNDED_AMOUNT_DIFFERS', detail: `${format(order.refunded, currency)} refunded here; ${is}` }
}

function refundedOf({ refunds }: ProviderPayment): bigint {
  return refunds.reduce((sum, { state, amount }) => (state === 'done' ? sum + amount : sum), 0n)
}

function inWords(payment: ProviderPayment): string {
  const { status, amount, captured } = payment
  const refunded = refundedOf(payment)
  return [
    `${status.state}, ${format(amount.amount, amount.currency)}`,
    captured > 0n && captured !== amount.amount && `${captured} captured`,
    refunded > 0n && `${refunded} refunded`,
  ]
    .filter(Boolean)
    .join(', ')
}

function format(amount: bigint, currency: string): string {
  return `${amount} ${currency} in minor units`
}

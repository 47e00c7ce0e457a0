import type { ProviderPayment } from '../../payments/provider.ts'
import type { ReconciledOrder } from '../../sql/reconciliation.ts'

/** How long the money may take to follow an order, with every retry, while nothing is wrong. */
const UNDER_WAY_SECONDS = 600

export interface Disagreement {
  kind: 'CONFIRMED_NOT_CAPTURED' | 'CAPTURE_WITHOUT_ORDER' | 'VOID_MISSING' | 'CAPTURED_AMOUNT_DIFFERS'
  detail: string
}

/** Returns how an order and the provider's record contradict each other; null: they agree, or the order is in progress. */
export function disagreement(
  order: ReconciledOrder | null,
  payment: ProviderPayment | null,
): Disagreement | null {
  const says = `the provider reports ${payment ? `${payment.state}, ${format(payment.amount)}` : 'no payment'}`
  if (!order) {
    if (payment?.state === 'captured')
      return { kind: 'CAPTURE_WITHOUT_ORDER', detail: `no such order; ${says}` }
    if (payment?.state === 'authorized') return { kind: 'VOID_MISSING', detail: `no such order; ${says}` }
    return null
  }
  const is = `${order.state}, payment ${order.payment}; ${says}`
  const isUnderWay = order.payment === 'AUTHORIZED' && order.age < UNDER_WAY_SECONDS
  switch (order.state) {
    case 'PAYING':
      return payment?.state === 'captured' ? { kind: 'CAPTURE_WITHOUT_ORDER', detail: is } : null
    case 'CONFIRMED':
      return confirmed(order, payment, is, isUnderWay)
    default:
      if (isUnderWay) return null
      if (payment?.state === 'captured') return { kind: 'CAPTURE_WITHOUT_ORDER', detail: is }
      return payment?.state === 'authorized' ? { kind: 'VOID_MISSING', detail: is } : null
  }
}

function confirmed(
  order: ReconciledOrder,
  payment: ProviderPayment | null,
  is: string,
  isUnderWay: boolean,
): Disagreement | null {
  // A free order has no payment at the provider.
  if (order.amount === 0n && !payment) return null
  const hasMoney = payment?.state === 'captured' || payment?.state === 'authorized'
  if (!hasMoney) return { kind: 'CONFIRMED_NOT_CAPTURED', detail: is }
  if (payment.amount.amount !== order.amount || payment.amount.currency !== order.currency) {
    const { amount, currency } = order
    return { kind: 'CAPTURED_AMOUNT_DIFFERS', detail: `${format({ amount, currency })}; ${is}` }
  }
  if (order.payment !== 'AUTHORIZED') {
    return payment.state === 'captured' ? null : { kind: 'CONFIRMED_NOT_CAPTURED', detail: is }
  }
  return isUnderWay ? null : { kind: 'CONFIRMED_NOT_CAPTURED', detail: is }
}

function format({ amount, currency }: { amount: bigint; currency: string }): string {
  return `${amount} ${currency} in minor units`
}

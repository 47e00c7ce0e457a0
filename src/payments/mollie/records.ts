import type { ListRefundResponse, PaymentResponse } from 'mollie-api-typescript/models'
import type { DeclineReason } from '../../declineReason.ts'
import type { PaymentStatus, ProviderPayment, ProviderRefund } from '../provider.ts'
import { fromMollie } from './amounts.ts'

/** The fields that a single payment and a payment in a list share. */
export type Payment = Pick<
  PaymentResponse,
  'id' | 'status' | 'amount' | 'amountCaptured' | 'metadata' | 'details' | 'isCancelable'
> &
  Partial<Pick<PaymentResponse, 'authorizedAt' | 'captureBefore' | 'expiresAt'>> & {
    links: { checkout?: { href: string } | undefined }
  }
export type Refund = Pick<ListRefundResponse, 'id' | 'status' | 'amount' | 'metadata'>

/** Ours, in a record's metadata. */
export interface Metadata {
  fairgateOrder?: string
  fairgateEvent?: string
  /** `yes`: the buyer has been sent to Mollie's page. */
  fairgateConfirmed?: 'yes' | 'no'
  fairgateRefund?: string
}

const REASONS: Readonly<Record<string, DeclineReason>> = {
  insufficient_funds: 'INSUFFICIENT_FUNDS',
  card_expired: 'CARD_EXPIRED',
  authentication_failed: 'AUTHENTICATION_FAILED',
  authentication_required: 'AUTHENTICATION_FAILED',
  authentication_abandoned: 'AUTHENTICATION_FAILED',
  authentication_unavailable_acs: 'TRY_LATER',
}

/** Where Mollie does not state the end of an authorization: shorter than that of any card. */
const SHORTEST_AUTHORIZATION_MS = 5 * 86_400_000

export function toStatus(payment: Payment): PaymentStatus {
  switch (payment.status) {
    case 'open':
      if (metadataOf(payment).fairgateConfirmed !== 'yes') return { state: 'unconfirmed' }
      return { state: 'action_required', action: toAction(payment) }
    case 'pending':
      return { state: 'processing' }
    case 'authorized':
      return { state: 'authorized', authorizedUntil: authorizedUntil(payment) }
    case 'paid':
      return { state: 'captured' }
    case 'failed':
      return { state: 'declined', reason: REASONS[payment.details?.failureReason ?? ''] ?? 'OTHER' }
    case 'canceled':
    case 'expired':
      return { state: 'cancelled' }
    default:
      throw new Error(`Mollie reports ${payment.id} as "${payment.status}", which is not known.`)
  }
}

function toAction({ links, expiresAt }: Payment) {
  return {
    clientSecret: null,
    url: links.checkout?.href ?? null,
    expiresAt: expiresAt ? new Date(expiresAt) : null,
  }
}

function authorizedUntil({ captureBefore, authorizedAt }: Payment): Date {
  // Mollie states a day; it guarantees the capture until the day begins.
  if (captureBefore) return new Date(captureBefore)
  return new Date((authorizedAt ? Date.parse(authorizedAt) : Date.now()) + SHORTEST_AUTHORIZATION_MS)
}

export function toPayment(payment: Payment, refunds: Refund[]): ProviderPayment {
  const { fairgateOrder = null, fairgateEvent = null } = metadataOf(payment)
  const { amountCaptured } = payment
  return {
    intentId: payment.id,
    orderId: fairgateOrder,
    eventId: fairgateEvent,
    status: toStatus(payment),
    amount: fromMollie(payment.amount),
    captured: amountCaptured ? fromMollie(amountCaptured).amount : 0n,
    refunds: refunds.map((refund) => ({
      refundId: metadataOf(refund).fairgateRefund ?? null,
      providerId: refund.id,
      amount: fromMollie(refund.amount).amount,
      state: toRefundState(refund.status),
    })),
  }
}

export function metadataOf({ metadata }: { metadata?: unknown }): Metadata {
  return typeof metadata === 'object' && metadata !== null ? metadata : {}
}

/** A refund waits for a day or two at Mollie before its bank has it. */
export function toRefundState(status: string): ProviderRefund['state'] {
  if (status === 'refunded') return 'done'
  return status === 'failed' || status === 'canceled' ? 'failed' : 'pending'
}

import type { DeclineReason } from '../../declineReason.ts'

/**
 * Stripe's codes that mean more to a buyer than "declined" (docs.stripe.com/declines/codes, docs.stripe.com/error-codes).
 * Codes such as `lost_card` or `fraudulent` stay OTHER: Stripe says not to show them to the buyer.
 */
const REASONS: Readonly<Record<Exclude<DeclineReason, 'OTHER'>, readonly string[]>> = {
  INSUFFICIENT_FUNDS: [
    'insufficient_funds',
    'withdrawal_count_limit_exceeded',
    'card_velocity_exceeded',
    'charge_exceeds_source_limit',
  ],
  CARD_EXPIRED: ['expired_card', 'invalid_expiry_month', 'invalid_expiry_year'],
  AUTHENTICATION_FAILED: [
    'authentication_required',
    'authentication_not_handled',
    'payment_intent_authentication_failure',
    'approve_with_id',
  ],
  TRY_LATER: [
    'try_again_later',
    'processing_error',
    'reenter_transaction',
    'issuer_not_available',
    'payment_intent_payment_attempt_expired',
  ],
}

const reasonOf = new Map(
  Object.entries(REASONS).flatMap(([reason, codes]) =>
    codes.map((code) => [code, reason as DeclineReason] as const),
  ),
)

/** The decline code is the more exact one: the code of most declines is `card_declined`. */
export function declineReason(error: { code?: string; decline_code?: string }): DeclineReason {
  return reasonOf.get(error.decline_code ?? '') ?? reasonOf.get(error.code ?? '') ?? 'OTHER'
}

/** Why a payment provider declined a card. */
export type DeclineReason =
  | 'INSUFFICIENT_FUNDS'
  | 'CARD_EXPIRED'
  | 'AUTHENTICATION_FAILED'
  | 'TRY_LATER'
  | 'OTHER'

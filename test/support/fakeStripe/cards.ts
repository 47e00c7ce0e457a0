/** What a card does when it is sent, once the buyer has done what it requires. */
export interface Card {
  /** The buyer must authenticate first, with 3-D Secure. */
  needsAction?: true
  /** The error of a declined card. */
  declined?: { code: string; decline_code?: string }
  /** The network has not answered: the intent stays `processing` until the test decides. */
  processing?: true
  /** The bank refuses to capture. */
  captureRefused?: true
  /** Stripe answers each capture with an error 500, and does nothing. */
  captureFails?: true
  /** The state that a refund begins with. */
  refund?: 'pending' | 'failed'
}

const declined = (decline_code: string) => ({ declined: { code: 'card_declined', decline_code } })

/** Stripe's own test cards (docs.stripe.com/testing). Those with `fake` in their name are not Stripe's. */
export const CARDS: Readonly<Record<string, Card>> = {
  pm_card_visa: {},
  pm_card_mastercard: {},
  pm_card_visa_chargeDeclined: declined('generic_decline'),
  pm_card_visa_chargeDeclinedInsufficientFunds: declined('insufficient_funds'),
  pm_card_visa_chargeDeclinedLostCard: declined('lost_card'),
  pm_card_chargeDeclinedExpiredCard: { declined: { code: 'expired_card' } },
  pm_card_chargeDeclinedIncorrectCvc: { declined: { code: 'incorrect_cvc' } },
  pm_card_chargeDeclinedProcessingError: { declined: { code: 'processing_error' } },
  pm_card_authenticationRequired: { needsAction: true },
  pm_card_authenticationRequiredChargeDeclinedInsufficientFunds: {
    needsAction: true,
    ...declined('insufficient_funds'),
  },
  pm_card_pendingRefund: { refund: 'pending' },
  pm_fake_refundRefused: { refund: 'failed' },
  pm_fake_processing: { processing: true },
  pm_fake_processingDeclined: { processing: true, ...declined('generic_decline') },
  pm_fake_undecided: { processing: true },
  pm_fake_lostReply: {},
  pm_fake_captureUnknown: { captureFails: true },
  pm_fake_captureRefused: { captureRefused: true },
}

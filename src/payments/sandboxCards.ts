import type { DeclineReason } from '../declineReason.ts'

/** A payment method of the sandbox that misbehaves on purpose. */
export interface SandboxCard {
  readonly paymentMethod: string
  /** What happens, for the people who choose a card. */
  readonly result: string
}

export const DECLINES: Readonly<Record<string, DeclineReason>> = {
  pm_card_declined: 'OTHER',
  pm_card_insufficient_funds: 'INSUFFICIENT_FUNDS',
  pm_card_expired: 'CARD_EXPIRED',
  pm_card_authentication_failed: 'AUTHENTICATION_FAILED',
  pm_card_try_later: 'TRY_LATER',
}

/** Every payment method with a result of its own; any other is authorized. docs/clients.md lists them too. */
export const SANDBOX_CARDS: readonly SandboxCard[] = [
  { paymentMethod: 'pm_card_visa', result: 'authorized' },
  ...Object.entries(DECLINES).map(([paymentMethod, reason]) => ({
    paymentMethod,
    result: `declined: ${reason}`,
  })),
  {
    paymentMethod: 'pm_needs_action',
    result: 'waits for the buyer, who approves or refuses on a page of the sandbox',
  },
  { paymentMethod: 'pm_slow', result: 'authorized after 3 s' },
  { paymentMethod: 'pm_prepare_lost_reply', result: 'authorized; the first reply to prepare is lost' },
  { paymentMethod: 'pm_lost_reply', result: 'authorized; the reply to confirm is lost' },
  { paymentMethod: 'pm_timeout', result: 'authorized; confirm is never answered' },
  { paymentMethod: 'pm_down', result: 'confirm always fails, and does nothing' },
  { paymentMethod: 'pm_unknown', result: 'never decided: processing until it is cancelled' },
  { paymentMethod: 'pm_approved_later', result: 'processing, and authorized after 5 s' },
  { paymentMethod: 'pm_declined_later', result: 'processing, and declined after 5 s' },
  {
    paymentMethod: 'pm_captured_at_once',
    result: 'captured by the confirmation, so that a cancel comes too late',
  },
  { paymentMethod: 'pm_cancel_lost_reply', result: 'authorized; the first reply to a cancel is lost' },
  { paymentMethod: 'pm_capture_refused', result: 'authorized; the capture is refused for good' },
  { paymentMethod: 'pm_capture_lost_reply', result: 'authorized; the first reply to the capture is lost' },
  { paymentMethod: 'pm_capture_unknown', result: 'authorized; the capture always fails, and does nothing' },
  { paymentMethod: 'pm_refund_refused', result: 'captured; every refund is refused for good' },
  { paymentMethod: 'pm_refund_lost_reply', result: 'captured; the first reply to a refund is lost' },
  { paymentMethod: 'pm_refund_pending', result: 'captured; a refund is pending, and done after 5 s' },
]

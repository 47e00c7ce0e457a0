import { createSandbox } from '../../../src/payments/sandbox.ts'
import { moveSandboxPayment, setSandboxOutage } from '../../../src/sql/orders/sandboxPayments.ts'
import { CALM, sandboxRecords } from '../checkout.ts'
import type { TestDatabase } from '../database.ts'
import type { Card, Network } from './network.ts'

const CARDS: Readonly<Record<Card, string>> = {
  approved: 'pm_card_visa',
  declined: 'pm_card_declined',
  lostReply: 'pm_lost_reply',
  needsAction: 'pm_needs_action',
  approvedLater: 'pm_approved_later',
  declinedLater: 'pm_declined_later',
  undecided: 'pm_unknown',
  captureUnknown: 'pm_capture_unknown',
  captureRefused: 'pm_capture_refused',
  refundRefused: 'pm_refund_refused',
  refundLostReply: 'pm_refund_lost_reply',
  refundPending: 'pm_refund_pending',
}

export function sandboxNetwork(database: TestDatabase): Network {
  return {
    name: 'sandbox',
    provider: createSandbox(database, CALM, { publicUrl: 'http://localhost:4000' }),
    cards: CARDS,
    records: () => sandboxRecords(database),
    async approve(intentId) {
      await moveSandboxPayment(database, intentId, ['action_required'], 'authorized')
    },
    async refuse(intentId) {
      const reason = { declineReason: 'AUTHENTICATION_FAILED' } as const
      await moveSandboxPayment(database, intentId, ['action_required'], 'declined', reason)
    },
    async decide(intentId) {
      await moveSandboxPayment(database, intentId, ['processing'], 'authorized')
    },
    async becomes(orderId, card) {
      await database.sql('update sandbox_payments set payment_method = $2 where order_id = $1', [
        orderId,
        CARDS[card],
      ])
      // The sandbox refuses a confirmation that names another card.
      await database.sql(
        'update orders set payment_method = $2 where id = $1 and payment_method is not null',
        [orderId, CARDS[card]],
      )
    },
    async age(orderId, minutes) {
      const by = `make_interval(secs => ${Math.round(minutes * 60)})`
      await database.sql(
        `update sandbox_payments set created_at = created_at - ${by}, confirmed_at = confirmed_at - ${by}
           where order_id = $1`,
        [orderId],
      )
    },
    async settleRefunds() {
      await database.sql(`update sandbox_refunds set created_at = created_at - interval '1 minute'`)
    },
    out: (isOut) => setSandboxOutage(database, isOut),
  }
}

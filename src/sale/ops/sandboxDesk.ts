import type { Logger } from 'pino'
import type { Money } from '../../money.ts'
import { SANDBOX_CARDS, type SandboxCard } from '../../payments/sandboxCards.ts'
import type { Database } from '../../sql/database/database.ts'
import { writeAudit } from '../../sql/ops/audit.ts'
import {
  isSandboxOut,
  moveSandboxPayment,
  readSandboxPayment,
  setSandboxOutage,
} from '../../sql/orders/sandboxPayments.ts'
import type { Account } from '../caller.ts'
import { badInput } from '../faults.ts'
import type { Settler } from '../orders/settle.ts'

export interface SandboxView {
  readonly cards: readonly SandboxCard[]
  /** Ops have switched the card network off. */
  readonly isOut: boolean
}

export interface SandboxDesk {
  /** Null where the app is not embedded. */
  view(): Promise<SandboxView | null>
  /** Switches the card network off or on, for every process. Throws BAD_USER_INPUT where the app is not embedded. */
  setOutage(actor: Account, isOut: boolean): Promise<SandboxView>
  /** Returns a payment that waits for its buyer, or whose buyer has decided; null where there is none. */
  waiting(intentId: string): Promise<{ amount: Money; isDecided: boolean } | null>
  /**
   * Makes the buyer's decision, once, and sends the network's message about it. Returns the address to which the buyer goes;
   * null where there is no such payment.
   */
  decide(intentId: string, decision: 'approve' | 'refuse'): Promise<string | null>
}

export interface SandboxDeskDeps {
  db: Database
  embedded: boolean
  checkout: Pick<Settler, 'paymentChanged'>
  log: Logger
}

/** The counter of the sandbox's card network: its cards, its outage switch, and the buyer's page of a payment. */
export function createSandboxDesk({ db, embedded, checkout, log }: SandboxDeskDeps): SandboxDesk {
  const view = async () => ({ cards: SANDBOX_CARDS, isOut: await isSandboxOut(db) })

  return {
    view: async () => (embedded ? view() : null),

    async setOutage(actor, isOut) {
      if (!embedded) throw badInput({ path: ['isOut'], message: 'This service has no sandbox to switch.' })
      await setSandboxOutage(db, isOut)
      await writeAudit(db.pool, {
        eventId: null,
        accountId: actor.id,
        action: 'setSandboxOutage',
        subject: 'sandbox',
        detail: { isOut },
      })
      return view()
    },

    async waiting(intentId) {
      const payment = await readSandboxPayment(db, intentId)
      if (payment?.paymentMethod !== 'pm_needs_action') return null
      const { amount, currency, state } = payment
      return { amount: { amount, currency }, isDecided: state !== 'action_required' }
    },

    async decide(intentId, decision) {
      const payment = await readSandboxPayment(db, intentId)
      if (!payment) return null
      const declineReason = decision === 'approve' ? null : ('AUTHENTICATION_FAILED' as const)
      const state = decision === 'approve' ? 'authorized' : 'declined'
      await moveSandboxPayment(db, intentId, ['action_required'], state, { declineReason })
      // As a webhook of a real provider: where it fails, the buyer's return and the settler find the change.
      await checkout.paymentChanged('sandbox', intentId).catch((error) => {
        log.warn({ err: error, intentId }, 'the message of the sandbox was not processed')
      })
      return payment.returnUrl
    },
  }
}

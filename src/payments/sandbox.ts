import { setTimeout as sleep } from 'node:timers/promises'
import { uuidv7obj } from 'uuidv7'
import type { DeclineReason } from '../declineReason.ts'
import type { Database } from '../sql/database/database.ts'
import {
  insertSandboxPayment,
  isSandboxOut,
  listSandboxPayments,
  moveSandboxPayment,
  readSandboxPayment,
  readSandboxRefunds,
  refundSandboxPayment,
  type SandboxPaymentRow,
  type SandboxRefundRow,
  type SandboxState,
} from '../sql/orders/sandboxPayments.ts'
import {
  type ConfirmRequest,
  type PaymentProvider,
  type PaymentStatus,
  ProviderBusy,
  type ProviderPayment,
} from './provider.ts'
import { DECLINES } from './sandboxCards.ts'

/*
 * A card network that costs nothing and misbehaves on purpose. Its state is in the database, so that every process calls
 * the same network, and no answer is lost with a process that dies. sandboxCards.ts lists the payment methods and their
 * results. The settings (SANDBOX_… in src/env.ts) cause the same for every card, at random.
 */

export interface SandboxSettings {
  /** The average time of a call; each call takes from half to one and a half times as long. */
  latencyMs: number
  /** The shares of confirmations, from 0 to 1, that are declined or never answered. */
  declineRate: number
  timeoutRate: number
  /** The share of calls that are done and then answered with an error. */
  lostReplyRate: number
  /** The calls a second that one process may make; 0: no limit. */
  rateLimit: number
}

export interface SandboxOptions {
  /** The address of this server: the buyer's page of a payment is below it. */
  publicUrl: string
  /** Default: `sandbox`. */
  name?: string
}

/** Longer than any timeout. The timer does not keep the process alive. */
const NEVER_MS = 3_600_000
const SLOW_MS = 3_000
const AUTHORIZED_FOR_MS = 7 * 86_400_000
const PAGE = 1_000
const OPEN: readonly SandboxState[] = [
  'unconfirmed',
  'processing',
  'action_required',
  'authorized',
  'declined',
]

/** The path of the page on which the buyer approves or refuses a payment. */
export const actionPath = (intentId: string) => `/dev/payments/${intentId}`

export function createSandbox(
  db: Database,
  settings: SandboxSettings,
  { publicUrl, name = 'sandbox' }: SandboxOptions,
): PaymentProvider {
  const chance = (share: number) => Math.random() < share
  const rateLimit = createRateLimit(settings.rateLimit)

  async function receive(signal: AbortSignal) {
    signal.throwIfAborted()
    if (rateLimit()) throw new ProviderBusy(1)
    if (await isSandboxOut(db)) throw new Error('sandbox: out of order')
    if (settings.latencyMs > 0) await pause(settings.latencyMs * (0.5 + Math.random()), signal)
  }

  function reply<T>(answer: T, lost: boolean): T {
    if (lost || chance(settings.lostReplyRate)) throw new Error('sandbox: the reply was lost')
    return answer
  }

  function toStatus(row: SandboxPaymentRow): PaymentStatus {
    switch (row.state) {
      case 'authorized':
        return {
          state: 'authorized',
          authorizedUntil: new Date((row.confirmedAt ?? row.createdAt).getTime() + AUTHORIZED_FOR_MS),
        }
      case 'declined':
        return { state: 'declined', reason: row.declineReason ?? 'OTHER' }
      case 'action_required':
        return {
          state: 'action_required',
          action: { clientSecret: null, url: `${publicUrl}${actionPath(row.intentId)}`, expiresAt: null },
        }
      default:
        return { state: row.state }
    }
  }

  function toPayment(row: SandboxPaymentRow, refunds: readonly SandboxRefundRow[]): ProviderPayment {
    const { intentId, orderId, eventId, amount, currency, captured } = row
    return {
      intentId,
      orderId,
      eventId,
      status: toStatus(row),
      amount: { amount, currency },
      captured,
      refunds: refunds
        .filter((refund) => refund.intentId === intentId)
        .map(({ refundId, amount, state }) => ({ refundId, providerId: `re_${refundId}`, amount, state })),
    }
  }

  async function find(intentId: string): Promise<SandboxPaymentRow> {
    const row = await readSandboxPayment(db, intentId)
    if (!row) throw new Error(`sandbox: there is no payment ${intentId}`)
    return row
  }

  function firstState(paymentMethod: string): { state: SandboxState; declineReason?: DeclineReason } {
    const declineReason = DECLINES[paymentMethod] ?? (chance(settings.declineRate) ? 'OTHER' : undefined)
    if (declineReason) return { state: 'declined', declineReason }
    if (paymentMethod === 'pm_needs_action') return { state: 'action_required' }
    if (paymentMethod === 'pm_captured_at_once') return { state: 'captured' }
    const isLater = ['pm_unknown', 'pm_approved_later', 'pm_declined_later'].includes(paymentMethod)
    return { state: isLater ? 'processing' : 'authorized' }
  }

  return {
    name,
    publishableKey: null,

    async prepare({ orderId, eventId, amount, paymentMethod, returnUrl, signal }) {
      await receive(signal)
      const intentId = `pi_${uuidv7obj().toHex()}`
      const before = await insertSandboxPayment(db, {
        intentId,
        orderId,
        eventId,
        paymentMethod,
        returnUrl,
        amount,
      })
      return reply({ intentId }, paymentMethod === 'pm_prepare_lost_reply' && before === 0)
    },

    async confirm(request) {
      const { intentId, signal } = request
      await receive(signal)
      const before = await find(intentId)
      refuseOtherParameters(before, request)
      const { paymentMethod } = before
      if (paymentMethod === 'pm_down') throw new Error('sandbox: out of order')
      if (paymentMethod === 'pm_slow') await pause(SLOW_MS, signal)
      const { state, declineReason } = firstState(paymentMethod)
      // Of two confirmations at the same time one decides, and both read its answer.
      const isFirst = await moveSandboxPayment(db, intentId, ['unconfirmed'], state, { declineReason })
      if (isFirst && (paymentMethod === 'pm_timeout' || chance(settings.timeoutRate))) {
        await pause(NEVER_MS, signal)
        throw new Error('sandbox: no answer')
      }
      return reply(toStatus(await find(intentId)), isFirst && paymentMethod === 'pm_lost_reply')
    },

    async retrieve({ intentId, signal }) {
      await receive(signal)
      const row = await readSandboxPayment(db, intentId)
      return reply(row && toPayment(row, await readSandboxRefunds(db, [intentId])), false)
    },

    async cancel({ intentId, signal }) {
      await receive(signal)
      const before = await readSandboxPayment(db, intentId)
      const isFirst = await moveSandboxPayment(db, intentId, OPEN, 'cancelled')
      const after = await readSandboxPayment(db, intentId)
      return reply(
        after?.state === 'captured' ? 'captured' : 'cancelled',
        isFirst && before?.paymentMethod === 'pm_cancel_lost_reply',
      )
    },

    async capture({ intentId, amount, signal }) {
      await receive(signal)
      const row = await readSandboxPayment(db, intentId)
      const refused = (reason: string) => reply({ outcome: 'refused' as const, reason }, false)
      if (!row) return refused('there is no such payment')
      if (row.paymentMethod === 'pm_capture_unknown') throw new Error('sandbox: out of order')
      if (row.paymentMethod === 'pm_capture_refused') return refused('the bank refuses the capture')
      if (row.amount !== amount.amount || row.currency !== amount.currency)
        return refused('another amount was authorized')
      const isFirst = await moveSandboxPayment(db, intentId, ['authorized'], 'captured')
      if (isFirst) return reply({ outcome: 'done' }, row.paymentMethod === 'pm_capture_lost_reply')
      const { state } = await find(intentId)
      return state === 'captured'
        ? reply({ outcome: 'done' }, false)
        : refused(`no authorization to capture: ${state}`)
    },

    async refund({ intentId, refundId, amount, signal }) {
      await receive(signal)
      const row = await readSandboxPayment(db, intentId)
      const refused = (reason: string) => reply({ outcome: 'refused' as const, reason }, false)
      if (!row) return refused('there is no such payment')
      const first =
        row.paymentMethod === 'pm_refund_refused'
          ? 'failed'
          : row.paymentMethod === 'pm_refund_pending'
            ? 'pending'
            : 'done'
      const made = await refundSandboxPayment(db, { refundId, intentId, amount: amount.amount }, first)
      if (!made) return refused('less of the money is left')
      const { refund, isNew } = made
      if (refund.state === 'failed') return refused('the bank refuses the refund')
      return reply(
        { outcome: refund.state, providerId: `re_${refundId}` },
        isNew && row.paymentMethod === 'pm_refund_lost_reply',
      )
    },

    async *list(eventId) {
      if (await isSandboxOut(db)) throw new Error('sandbox: out of order')
      let after = ''
      for (;;) {
        const rows = await listSandboxPayments(db, eventId, after, PAGE)
        const refunds = await readSandboxRefunds(
          db,
          rows.filter(({ captured }) => captured > 0n).map(({ intentId }) => intentId),
        )
        for (const row of rows) yield toPayment(row, refunds)
        const last = rows.at(-1)
        if (!last || rows.length < PAGE) return
        after = last.intentId
      }
    },
  }
}

const pause = (ms: number, signal: AbortSignal) => sleep(ms, undefined, { ref: false, signal })

/** Throws where an intent comes with other parameters than it was prepared with: the caller has a bug. */
function refuseOtherParameters(row: SandboxPaymentRow, { orderId, amount, paymentMethod }: ConfirmRequest) {
  if (
    row.orderId !== orderId ||
    row.paymentMethod !== paymentMethod ||
    row.amount !== amount.amount ||
    row.currency !== amount.currency
  ) {
    throw new Error(`sandbox: ${row.intentId} was prepared with other parameters`)
  }
}

/** Returns true for each call over the limit of the current second. */
function createRateLimit(perSecond: number): () => boolean {
  let second = 0
  let calls = 0
  return () => {
    const now = Math.floor(performance.now() / 1_000)
    calls = now === second ? calls + 1 : 1
    second = now
    return perSecond > 0 && calls > perSecond
  }
}

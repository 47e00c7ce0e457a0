import { setTimeout as sleep } from 'node:timers/promises'
import type { DeclineReason } from '../declineReason.ts'
import type { Database } from '../sql/database.ts'
import {
  answerSandboxPayment,
  captureSandboxPayment,
  listSandboxPayments,
  readSandboxPayment,
  type SandboxAnswer,
  type SandboxPaymentRow,
  voidSandboxPayment,
} from '../sql/sandboxPayments.ts'
import {
  type Authorization,
  type AuthorizeRequest,
  type PaymentProvider,
  ProviderBusy,
  type ProviderPayment,
} from './provider.ts'

/*
 * A card network that costs nothing and misbehaves on purpose. Its state is in the database, so that every process calls
 * the same network, and no answer is lost with a process that dies.
 *
 *   payment method                      result
 *   ----------------------------------  ---------------------------------------------------------------
 *   pm_card_visa, and any other         authorized
 *   pm_card_declined                    declined: OTHER
 *   pm_card_insufficient_funds          declined: INSUFFICIENT_FUNDS
 *   pm_card_expired                     declined: CARD_EXPIRED
 *   pm_card_authentication_failed       declined: AUTHENTICATION_FAILED
 *   pm_card_try_later                   declined: TRY_LATER
 *   pm_lost_reply                       authorized; the first reply is lost
 *   pm_timeout                          the first request is received and never answered; the next is authorized
 *   pm_slow                             authorized after 3 s
 *   pm_down                             every authorize fails and leaves no record
 *   pm_capture_refused                  authorized; the capture is refused for good
 *   pm_capture_lost_reply               authorized; the capture is done, and its first reply is lost
 *
 * The settings (SANDBOX_… in src/env.ts) cause the same for every card, at random.
 */
const DECLINES: Readonly<Record<string, DeclineReason>> = {
  pm_card_declined: 'OTHER',
  pm_card_insufficient_funds: 'INSUFFICIENT_FUNDS',
  pm_card_expired: 'CARD_EXPIRED',
  pm_card_authentication_failed: 'AUTHENTICATION_FAILED',
  pm_card_try_later: 'TRY_LATER',
}

export interface SandboxSettings {
  /** The average time of a call; each call takes from half to one and a half times as long. */
  latencyMs: number
  /** The shares of first authorizations, from 0 to 1, that are declined or never answered. */
  declineRate: number
  timeoutRate: number
  /** The share of calls that are done and then answered with an error. */
  lostReplyRate: number
  /** The calls a second that one process may make; 0: no limit. */
  rateLimit: number
}

/** Longer than any timeout. The timer does not keep the process alive. */
const NEVER_MS = 3_600_000
const SLOW_MS = 3_000
const AUTHORIZED_FOR_MS = 7 * 86_400_000
const PAGE = 1_000

export function createSandbox(db: Database, settings: SandboxSettings): PaymentProvider {
  const chance = (share: number) => Math.random() < share
  const rateLimit = createRateLimit(settings.rateLimit)

  async function receive() {
    if (rateLimit()) throw new ProviderBusy(1)
    if (settings.latencyMs > 0) await sleep(settings.latencyMs * (0.5 + Math.random()))
  }

  function reply<T>(answer: T, lost: boolean): T {
    if (lost || chance(settings.lostReplyRate)) throw new Error('sandbox: the reply was lost')
    return answer
  }

  function answerTo({ orderId, paymentMethod }: AuthorizeRequest, isFirst: boolean): SandboxAnswer {
    const neverAnswered = paymentMethod === 'pm_timeout' || chance(settings.timeoutRate)
    if (isFirst && neverAnswered) return { state: 'pending', authorizationId: null, declineReason: null }
    const declineReason = DECLINES[paymentMethod] ?? (chance(settings.declineRate) ? 'OTHER' : null)
    if (declineReason) return { state: 'declined', authorizationId: null, declineReason }
    return { state: 'authorized', authorizationId: `sandbox_${orderId}`, declineReason: null }
  }

  return {
    name: 'sandbox',
    publishableKey: null,

    async authorize(request) {
      await receive()
      if (request.paymentMethod === 'pm_down') throw new Error('sandbox: out of order')
      if (request.paymentMethod === 'pm_slow') await sleep(SLOW_MS)
      const before = await readSandboxPayment(db, request.orderId)
      if (before) refuseOtherParameters(before, request)
      // Of two simultaneous requests one writes the answer, and both read it.
      const written = await answerSandboxPayment(db, request, answerTo(request, before === null))
      const row = await readSandboxPayment(db, request.orderId)
      if (!row || row.state === 'pending') {
        await sleep(NEVER_MS, undefined, { ref: false })
        throw new Error('sandbox: no answer')
      }
      refuseOtherParameters(row, request)
      return reply(toAuthorization(row), written && row.paymentMethod === 'pm_lost_reply')
    },

    async capture({ orderId, amount }) {
      await receive()
      const row = await readSandboxPayment(db, orderId)
      if (row?.paymentMethod === 'pm_capture_refused') {
        return reply({ outcome: 'final', reason: 'the bank refuses the capture' }, false)
      }
      if (row && (row.amount !== amount.amount || row.currency !== amount.currency)) {
        return reply({ outcome: 'final', reason: 'another amount was authorized' }, false)
      }
      if (await captureSandboxPayment(db, orderId)) {
        return reply({ outcome: 'done' }, row?.paymentMethod === 'pm_capture_lost_reply')
      }
      const { state } = (await readSandboxPayment(db, orderId)) ?? { state: 'nothing' }
      return reply(
        state === 'captured'
          ? { outcome: 'done' }
          : { outcome: 'final', reason: `no authorization to capture: ${state}` },
        false,
      )
    },

    async void({ orderId }) {
      await receive()
      const isVoided = await voidSandboxPayment(db, orderId)
      const { state } = (await readSandboxPayment(db, orderId)) ?? { state: 'nothing' }
      return reply(
        isVoided || state === 'voided'
          ? { outcome: 'done' }
          : { outcome: 'final', reason: `no authorization to void: ${state}` },
        false,
      )
    },

    async find(orderId) {
      await receive()
      const row = await readSandboxPayment(db, orderId)
      if (!row || row.state === 'pending') return null
      return toPayment(row.state, row)
    },

    async *list(eventId) {
      let after = ''
      for (;;) {
        const rows = await listSandboxPayments(db, eventId, after, PAGE)
        for (const row of rows) {
          if (row.state !== 'pending') yield { orderId: row.orderId, ...toPayment(row.state, row) }
        }
        const last = rows.at(-1)
        if (!last || rows.length < PAGE) return
        after = last.orderId
      }
    },
  }
}

function toPayment(
  state: ProviderPayment['state'],
  { amount, currency }: Pick<SandboxPaymentRow, 'amount' | 'currency'>,
): ProviderPayment {
  return { state, amount: { amount, currency } }
}

function toAuthorization(row: SandboxPaymentRow): Authorization {
  return row.state === 'declined'
    ? { outcome: 'declined', reason: row.declineReason ?? 'OTHER' }
    : {
        outcome: 'authorized',
        authorizationId: row.authorizationId as string,
        authorizedUntil: new Date(row.createdAt.getTime() + AUTHORIZED_FOR_MS),
      }
}

/** Throws where a known key comes with other parameters, as real providers do: the caller has a bug. */
function refuseOtherParameters(row: SandboxPaymentRow, { amount, paymentMethod }: AuthorizeRequest) {
  if (
    row.paymentMethod !== paymentMethod ||
    row.amount !== amount.amount ||
    row.currency !== amount.currency
  ) {
    throw new Error(`sandbox: ${row.orderId} came with other parameters before`)
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

import { expect, test } from 'vitest'
import type { PaymentProvider } from '../../src/payments/provider.ts'
import { ProviderBusy } from '../../src/payments/provider.ts'
import { createSandbox, type SandboxSettings } from '../../src/payments/sandbox.ts'
import { DECLINES, SANDBOX_CARDS } from '../../src/payments/sandboxCards.ts'
import { newId } from '../../src/sale/ids.ts'
import { moveSandboxPayment, setSandboxOutage } from '../../src/sql/orders/sandboxPayments.ts'
import { CALM } from '../support/checkout.ts'
import { testDatabase } from '../support/database.ts'
import { type Call, conformance } from './conformance.ts'

const database = await testDatabase()
const amount = { amount: 4_550n, currency: 'EUR' }
const signal = new AbortController().signal

function network(settings: Partial<SandboxSettings> = {}) {
  return createSandbox(database, { ...CALM, ...settings }, { publicUrl: 'https://tickets.example.com' })
}

const sandbox = network()

/** The sandbox behind a line that loses replies. */
function unreliable() {
  const lost = new Map<Call, 'before' | 'after'>()
  let failures = 0
  let limited = 0
  async function through<T>(name: Call, call: () => Promise<T>): Promise<T> {
    if (limited > 0) {
      limited -= 1
      throw new ProviderBusy(1)
    }
    if (failures > 0) {
      failures -= 1
      throw new Error('HTTP 500')
    }
    const when = lost.get(name)
    lost.delete(name)
    if (when === 'before') throw new Error('connection reset')
    const answer = await call()
    if (when === 'after') throw new Error('connection reset')
    return answer
  }
  const provider: PaymentProvider = {
    ...sandbox,
    prepare: (request) => through('prepare', () => sandbox.prepare(request)),
    confirm: (request) => through('confirm', () => sandbox.confirm(request)),
    retrieve: (request) => through('retrieve', () => sandbox.retrieve(request)),
    cancel: (request) => through('cancel', () => sandbox.cancel(request)),
    capture: (request) => through('capture', () => sandbox.capture(request)),
    refund: (request) => through('refund', () => sandbox.refund(request)),
  }
  return {
    provider,
    loseReply: (call: Call, when: 'before' | 'after') => void lost.set(call, when),
    failNext(times: number) {
      failures = times
    },
    limitNext() {
      limited = 1
    },
  }
}

conformance('sandbox', {
  ...unreliable(),
  cards: { approved: 'pm_card_visa', declined: DECLINES, needsAction: 'pm_needs_action' },
  async passDay() {
    await database.sql(`update sandbox_payments set created_at = created_at - interval '25 hours',
      confirmed_at = confirmed_at - interval '25 hours'`)
  },
  async act(intentId, decision) {
    await (decision === 'approve'
      ? moveSandboxPayment(database, intentId, ['action_required'], 'authorized')
      : moveSandboxPayment(database, intentId, ['action_required'], 'declined', {
          declineReason: 'AUTHENTICATION_FAILED',
        }))
  },
})

async function prepared(paymentMethod = 'pm_card_visa', by = sandbox) {
  const request = {
    orderId: newId('ord', 'evt_x'),
    eventId: 'evt_x',
    amount,
    paymentMethod,
    returnUrl: '',
    signal,
  }
  const { intentId } = await by.prepare(request).catch(() => by.prepare(request))
  return { ...request, intentId }
}

const stateOf = async (intentId: string) =>
  (await sandbox.retrieve({ intentId, signal }))?.status.state ?? null

test('every card of the list does what the list says', async () => {
  const seen: Record<string, string> = {}
  for (const { paymentMethod } of SANDBOX_CARDS) {
    if (['pm_slow', 'pm_timeout'].includes(paymentMethod)) continue
    const request = await prepared(paymentMethod)
    const answer = await sandbox.confirm(request).then(
      (status) => status.state,
      () => 'error',
    )
    seen[paymentMethod] = `${answer}, ${await stateOf(request.intentId)}`
  }
  expect(seen).toEqual({
    ...Object.fromEntries(Object.keys(DECLINES).map((card) => [card, 'declined, declined'])),
    pm_card_visa: 'authorized, authorized',
    pm_needs_action: 'action_required, action_required',
    pm_prepare_lost_reply: 'authorized, authorized',
    pm_lost_reply: 'error, authorized',
    pm_down: 'error, unconfirmed',
    pm_unknown: 'processing, processing',
    pm_approved_later: 'processing, processing',
    pm_declined_later: 'processing, processing',
    pm_captured_at_once: 'captured, captured',
    pm_cancel_lost_reply: 'authorized, authorized',
    pm_capture_refused: 'authorized, authorized',
    pm_capture_lost_reply: 'authorized, authorized',
    pm_capture_unknown: 'authorized, authorized',
    pm_refund_refused: 'authorized, authorized',
    pm_refund_lost_reply: 'authorized, authorized',
    pm_refund_pending: 'authorized, authorized',
  })
})

test('a confirmation that is never answered ends when it is aborted, and was done', async () => {
  const request = await prepared('pm_timeout')
  const controller = new AbortController()
  const confirming = sandbox.confirm({ ...request, signal: controller.signal })
  confirming.catch(() => {})
  await expect.poll(() => stateOf(request.intentId), { timeout: 20_000 }).toBe('authorized')
  controller.abort()
  await expect(confirming).rejects.toThrow()
})

test('a payment that is decided later is decided after some seconds, and a refund that is pending too', async () => {
  const approved = await prepared('pm_approved_later')
  const declined = await prepared('pm_declined_later')
  await sandbox.confirm(approved)
  await sandbox.confirm(declined)
  await database.sql(`update sandbox_payments set confirmed_at = confirmed_at - interval '6 seconds'`)
  expect([await stateOf(approved.intentId), await stateOf(declined.intentId)]).toEqual([
    'authorized',
    'declined',
  ])

  const pending = await prepared('pm_refund_pending')
  await sandbox.confirm(pending)
  await sandbox.capture(pending)
  expect(await sandbox.refund({ ...pending, refundId: 'one' })).toMatchObject({ outcome: 'pending' })
  await database.sql(`update sandbox_refunds set created_at = created_at - interval '6 seconds'`)
  const record = await sandbox.retrieve({ intentId: pending.intentId, signal })
  expect(record?.refunds).toMatchObject([{ refundId: 'one', state: 'done' }])
})

test('an authorization lapses after a week', async () => {
  const request = await prepared()
  await sandbox.confirm(request)
  await database.sql(
    `update sandbox_payments set confirmed_at = now() - interval '8 days' where intent_id = $1`,
    [request.intentId],
  )
  expect(await sandbox.capture(request)).toMatchObject({ outcome: 'refused' })
  expect(await stateOf(request.intentId)).toBe('cancelled')
})

test('an intent with other parameters is an error, as at a real provider', async () => {
  const request = await prepared()
  await expect(sandbox.confirm({ ...request, paymentMethod: 'pm_other' })).rejects.toThrow('other parameters')
  const more = { ...amount, amount: 5_000n }
  await expect(sandbox.confirm({ ...request, amount: more })).rejects.toThrow('other parameters')
  await sandbox.confirm(request)
  expect(await sandbox.capture({ ...request, amount: more })).toMatchObject({ outcome: 'refused' })
})

test('an outage that ops switch on stops every process, until they switch it off', async () => {
  const request = await prepared()
  const elsewhere = network()
  await setSandboxOutage(database, true)
  await setSandboxOutage(database, true)
  for (const one of [sandbox, elsewhere]) await expect(one.confirm(request)).rejects.toThrow('out of order')
  await setSandboxOutage(database, false)
  expect(await elsewhere.confirm(request)).toMatchObject({ state: 'authorized' })
})

test('the settings cause for any card what the special cards cause', async () => {
  expect(await network({ declineRate: 1 }).confirm(await prepared())).toEqual({
    state: 'declined',
    reason: 'OTHER',
  })
  const request = await prepared()
  await expect(network({ lostReplyRate: 1 }).confirm(request)).rejects.toThrow('the reply was lost')
  expect(await stateOf(request.intentId)).toBe('authorized')
  const limited = network({ rateLimit: 1 })
  const { intentId } = request
  const answers = await Promise.allSettled([1, 2, 3, 4, 5].map(() => limited.retrieve({ intentId, signal })))
  const refused = answers.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[]
  expect(refused.length).toBeGreaterThanOrEqual(3)
  for (const { reason } of refused) expect(reason).toBeInstanceOf(ProviderBusy)
})

import { afterEach, expect, test } from 'vitest'
import { createMollie } from '../../src/payments/mollie.ts'
import { type PaymentProvider, type PrepareRequest, ProviderBusy } from '../../src/payments/provider.ts'
import { fakeMollie } from '../support/fakeMollie/index.ts'
import { conformance } from './conformance.ts'
import { httpHarness } from './httpHarness.ts'

const network = await fakeMollie()
const { faults, clock } = network
const mollie = createMollie({
  apiKey: network.apiKey,
  apiUrl: network.url,
  webhookUrl: 'https://tickets.example.com/webhooks/mollie',
})
afterEach(() => {
  faults.heal()
  network.capturesBegin('succeeded')
  network.refundsBegin('pending')
})

const DECLINES = {
  insufficient_funds: 'INSUFFICIENT_FUNDS',
  card_expired: 'CARD_EXPIRED',
  authentication_abandoned: 'AUTHENTICATION_FAILED',
  authentication_unavailable_acs: 'TRY_LATER',
  possible_fraud: 'OTHER',
} as const

/** The buyer's part: the suite names by the payment method what the buyer does on Mollie's page. */
const plans = new Map<string, string>()
function visit(intentId: string) {
  const plan = plans.get(intentId)
  if (plan === undefined || plan === 'waits' || network.payment(intentId).status !== 'open') return
  network.buyer(intentId, plan === 'pays' ? 'pays' : { failsWith: plan })
}
const withBuyer: PaymentProvider = {
  ...mollie,
  async confirm(request) {
    // Mollie's refunds take days; the suite is about refunds that are done at once.
    network.refundsBegin('refunded')
    plans.set(request.intentId, request.paymentMethod)
    const { state } = await mollie.confirm(request)
    if (state === 'action_required') visit(request.intentId)
    return mollie.confirm(request)
  },
  async retrieve(request) {
    visit(request.intentId)
    return mollie.retrieve(request)
  },
}

conformance('mollie', {
  ...httpHarness(network, withBuyer, {
    prepare: /^POST \/v2\/payments$/,
    confirm: /^PATCH/,
    retrieve: /^GET \/v2\/payments\/tr_\w+$/,
    cancel: /release-authorization$/,
    capture: /^POST .*captures$/,
    refund: /^POST .*refunds$/,
  }),
  cards: { approved: 'pays', declined: DECLINES, needsAction: 'waits' },
  async act(intentId, decision) {
    if (network.payment(intentId).status === 'open')
      network.buyer(intentId, decision === 'approve' ? 'pays' : { failsWith: 'authentication_failed' })
  },
})

const { signal } = new AbortController()
const DAY = 86_400_000
let orders = 0

async function prepared(given: Partial<PrepareRequest> = {}) {
  const order = {
    orderId: `ord_e_${++orders}`,
    eventId: 'evt_e',
    amount: { amount: 4_550n, currency: 'EUR' },
    paymentMethod: 'creditcard',
    returnUrl: 'https://tickets.example.com/payments/return/order',
    signal,
    ...given,
  }
  return { ...order, ...(await mollie.prepare(order)) }
}

async function authorized() {
  const payment = await prepared()
  await mollie.confirm(payment)
  network.buyer(payment.intentId, 'pays')
  return payment
}

test('the buyer pays on a page of Mollie, whose address no buyer knows before the order is confirmed', async () => {
  const payment = await prepared()
  expect((await mollie.retrieve(payment))?.status).toEqual({ state: 'unconfirmed' })
  expect(await mollie.confirm(payment)).toEqual({
    state: 'action_required',
    action: {
      clientSecret: null,
      url: `https://www.mollie.example/checkout/credit-card/${payment.intentId}`,
      expiresAt: expect.any(Date),
    },
  })
  expect(network.payment(payment.intentId)).toMatchObject({
    amount: { currency: 'EUR', value: '45.50' },
    redirectUrl: 'https://tickets.example.com/payments/return/order',
    webhookUrl: 'https://tickets.example.com/webhooks/mollie',
  })
  network.buyer(payment.intentId, 'pays')
  expect(network.changes).toContain(payment.intentId)
  expect((await mollie.retrieve(payment))?.status).toMatchObject({ state: 'authorized' })
})

test('a buyer who leaves the page, and one who never comes, end the payment', async () => {
  const left = await prepared()
  const absent = await prepared()
  for (const payment of [left, absent]) await mollie.confirm(payment)
  network.buyer(left.intentId, 'leaves')
  clock.advance(DAY)
  for (const payment of [left, absent])
    expect((await mollie.retrieve(payment))?.status).toEqual({ state: 'cancelled' })
})

test('a payment that Mollie cannot cancel stays undecided until the buyer pays, or until it ends by itself', async () => {
  const paid = await prepared()
  const absent = await prepared()
  for (const payment of [paid, absent]) {
    await mollie.confirm(payment)
    network.payment(payment.intentId).isCancelable = false
    await expect(mollie.cancel(payment)).rejects.toThrow('ends by itself at')
  }
  network.buyer(paid.intentId, 'pays')
  expect(await mollie.cancel(paid)).toBe('cancelled')
  clock.advance(DAY)
  expect(await mollie.cancel(absent)).toBe('cancelled')
})

test('a release that Mollie has accepted counts only when the record shows it', async () => {
  const payment = await authorized()
  network.releaseSlowly()
  await expect(mollie.cancel(payment)).rejects.toThrow('has not cancelled')
  network.settleReleases()
  expect(await mollie.cancel(payment)).toBe('cancelled')
})

test('a capture that the bank has not decided is unknown, and is not sent twice', async () => {
  network.capturesBegin('pending')
  const payment = await authorized()
  await expect(mollie.capture(payment)).rejects.toThrow('not decided')
  const sent = network.requests.length
  await expect(mollie.capture(payment)).rejects.toThrow('not decided')
  expect(network.requests.slice(sent).filter((request) => request.startsWith('POST'))).toEqual([])
  network.settleCapture(payment.intentId, 'succeeded')
  expect(await mollie.capture(payment)).toEqual({ outcome: 'done' })
  network.capturesBegin('failed')
  expect(await mollie.capture(await authorized())).toMatchObject({ outcome: 'refused' })
})

test('a refund waits until Mollie reports that it is done or failed', async () => {
  const payment = await authorized()
  await mollie.capture(payment)
  const refund = (refundId: string) => mollie.refund({ ...payment, refundId })
  const pending = await refund('rf_1')
  expect(pending).toMatchObject({ outcome: 'pending' })
  const { providerId } = pending as { providerId: string }
  network.settleRefund(providerId, 'refunded')
  clock.advance(DAY)
  expect(await refund('rf_1')).toEqual({ outcome: 'done', providerId })
  network.settleRefund(providerId, 'failed')
  expect(await refund('rf_1')).toMatchObject({ outcome: 'refused' })
  expect(network.refunds(payment.intentId)).toHaveLength(1)
})

test('each call sends a request once, though Mollie answers with an error or is at its limit', async () => {
  const payment = await prepared()
  for (const fault of ['error before', 'limit'] as const) {
    faults.next(/^PATCH/, fault)
    const sent = network.requests.length
    const error = await mollie.confirm(payment).catch((reason: unknown) => reason)
    expect(error instanceof ProviderBusy).toBe(fault === 'limit')
    expect(network.requests.length - sent).toBe(fault === 'limit' ? 0 : 1)
  }
  expect(await mollie.confirm(payment)).toMatchObject({ state: 'action_required' })
})

test('a call ends when its signal aborts while Mollie works', async () => {
  const payment = await authorized()
  faults.next(/captures$/, 'silent')
  const abort = new AbortController()
  const call = mollie.capture({ ...payment, signal: abort.signal })
  await expect.poll(() => network.requests.at(-1)).toContain('captures')
  abort.abort()
  await expect(call).rejects.toThrow()
})

test('a wrong key is an unknown outcome, which cancels no order', async () => {
  const stranger = createMollie({ apiKey: 'test_other', apiUrl: network.url, webhookUrl: null })
  await expect(stranger.capture(await authorized())).rejects.toThrow()
})

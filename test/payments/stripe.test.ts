import { afterEach, expect, test } from 'vitest'
import {
  CannotCharge,
  type PrepareRequest,
  ProviderBusy,
  type ProviderPayment,
} from '../../src/payments/provider.ts'
import { createStripe } from '../../src/payments/stripe.ts'
import { fakeStripe } from '../support/fakeStripe/index.ts'
import { conformance } from './conformance.ts'
import { httpHarness } from './httpHarness.ts'

const network = await fakeStripe()
const { faults, clock } = network
const stripe = createStripe({ secretKey: network.secretKey, publishableKey: 'pk_test', apiUrl: network.url })
afterEach(() => faults.heal())

conformance('stripe', {
  ...httpHarness(network, stripe, {
    prepare: /^POST \/v1\/payment_intents$/,
    confirm: /confirm$/,
    retrieve: /^GET \/v1\/payment_intents\/pi_/,
    cancel: /cancel$/,
    capture: /capture$/,
    refund: /^POST \/v1\/refunds$/,
  }),
  cards: {
    approved: 'pm_card_visa',
    declined: {
      pm_card_visa_chargeDeclined: 'OTHER',
      pm_card_visa_chargeDeclinedInsufficientFunds: 'INSUFFICIENT_FUNDS',
      pm_card_visa_chargeDeclinedLostCard: 'OTHER',
      pm_card_chargeDeclinedExpiredCard: 'CARD_EXPIRED',
      pm_card_chargeDeclinedIncorrectCvc: 'OTHER',
      pm_card_chargeDeclinedProcessingError: 'TRY_LATER',
    },
    needsAction: 'pm_card_authenticationRequired',
  },
  async act(intentId, decision) {
    if (network.intent(intentId).status === 'requires_action')
      network.authenticate(intentId, decision === 'approve' ? 'passed' : 'failed')
  },
})

const { signal } = new AbortController()
const DAY = 86_400_000
let orders = 0

function request(given: Partial<PrepareRequest> = {}): PrepareRequest {
  return {
    orderId: `ord_e_${++orders}`,
    eventId: 'evt_e',
    amount: { amount: 4_550n, currency: 'EUR' },
    paymentMethod: 'pm_card_visa',
    returnUrl: 'https://tickets.example.com/e/x',
    signal,
    ...given,
  }
}

async function prepared(given?: Partial<PrepareRequest>) {
  const order = request(given)
  return { ...order, ...(await stripe.prepare(order)) }
}

async function authorized(given?: Partial<PrepareRequest>) {
  const intent = await prepared(given)
  expect(await stripe.confirm(intent)).toMatchObject({ state: 'authorized' })
  return intent
}

async function captured(given?: Partial<PrepareRequest>) {
  const intent = await authorized(given)
  expect(await stripe.capture(intent)).toEqual({ outcome: 'done' })
  return intent
}

const refundOf = (intent: PrepareRequest & { intentId: string }, refundId: string, amount: bigint) =>
  stripe.refund({ ...intent, refundId, amount: { ...intent.amount, amount } })
const sent = (name: RegExp) => network.requests.filter((request) => name.test(request)).length

test('an order is paid: prepared, confirmed, captured and refunded in two parts', async () => {
  const intent = await prepared()
  const { intentId } = intent
  expect(await stripe.retrieve(intent)).toEqual({
    intentId,
    orderId: intent.orderId,
    eventId: 'evt_e',
    status: { state: 'unconfirmed' },
    amount: intent.amount,
    captured: 0n,
    refunds: [],
  })
  expect(await stripe.confirm(intent)).toEqual({
    state: 'authorized',
    // Stripe's record says until when; the network's clock counts whole seconds.
    authorizedUntil: new Date(((network.intent(intentId).authorizedAt as number) + 7 * 86_400) * 1_000),
  })
  expect(await stripe.capture(intent)).toEqual({ outcome: 'done' })
  expect(await refundOf(intent, 'rf_1', 4_000n)).toMatchObject({ outcome: 'done' })
  expect(await refundOf(intent, 'rf_2', 550n)).toMatchObject({ outcome: 'done' })
  expect(await stripe.retrieve(intent)).toMatchObject({
    status: { state: 'captured' },
    captured: 4_550n,
    refunds: [
      { refundId: 'rf_2', amount: 550n, state: 'done' },
      { refundId: 'rf_1', amount: 4_000n, state: 'done' },
    ],
  })
})

test('a payment method that Stripe does not know is a declined card', async () => {
  const intent = await prepared({ paymentMethod: 'pm_that_does_not_exist' })
  expect(await stripe.confirm(intent)).toEqual({ state: 'declined', reason: 'OTHER' })
  expect(await stripe.cancel(intent)).toBe('cancelled')
})

test('a card that requires 3-D Secure names the address where the buyer authenticates', async () => {
  const intent = await prepared({ paymentMethod: 'pm_card_authenticationRequired' })
  const action = {
    clientSecret: expect.stringContaining(`${intent.intentId}_secret_`),
    url: expect.stringMatching(/^https:\/\/hooks\.stripe\.example\//),
    expiresAt: null,
  }
  expect(await stripe.confirm(intent)).toEqual({ state: 'action_required', action })
  expect(network.intent(intent.intentId).returnUrl).toBe('https://tickets.example.com/e/x')
  network.authenticate(intent.intentId, 'passed')
  expect((await stripe.retrieve(intent))?.status).toMatchObject({ state: 'authorized' })
  // Stripe replays its first answer, which is old.
  expect(await stripe.confirm(intent)).toMatchObject({ state: 'authorized' })
  expect(network.intent(intent.intentId).status).toBe('requires_capture')
})

test('a failed authentication and a card declined after it are reported as that', async () => {
  const failing = await prepared({ paymentMethod: 'pm_card_authenticationRequired' })
  const poor = await prepared({
    paymentMethod: 'pm_card_authenticationRequiredChargeDeclinedInsufficientFunds',
  })
  for (const intent of [failing, poor]) await stripe.confirm(intent)
  network.authenticate(failing.intentId, 'failed')
  network.authenticate(poor.intentId, 'passed')
  const reasonOf = async (intent: typeof poor) => (await stripe.retrieve(intent))?.status
  expect(await reasonOf(failing)).toEqual({ state: 'declined', reason: 'AUTHENTICATION_FAILED' })
  expect(await reasonOf(poor)).toEqual({ state: 'declined', reason: 'INSUFFICIENT_FUNDS' })
})

test('a stored error 500 that Stripe replays for a day stops no payment and no refund, and moves no money twice', async () => {
  for (const happened of ['error before', 'error after'] as const) {
    const intent = await prepared()
    faults.next(/confirm/, happened)
    await expect(stripe.confirm(intent)).rejects.toThrow('unknown error')
    // The key now replays the error; the record shows whether the card was sent.
    expect(await stripe.confirm(intent)).toMatchObject({ state: 'authorized' })
    await stripe.capture(intent)
    const refund = () => refundOf(intent, `rf_${intent.intentId}`, 1_000n)
    faults.next(/POST .*refunds/, happened)
    await expect(refund()).rejects.toThrow('unknown error')
    expect(await refund()).toMatchObject({ outcome: 'done' })
    clock.advance(2 * DAY)
    expect(await refund()).toMatchObject({ outcome: 'done' })
    expect(network.refunds(intent.intentId)).toHaveLength(1)
  }
})

test('two refunds at once under one id, and a third a day later, move the money once', async () => {
  const intent = await captured()
  const gate = faults.hold(/POST .*refunds/, 'before')
  const both = Promise.allSettled([refundOf(intent, 'rf_twice', 500n), refundOf(intent, 'rf_twice', 500n)])
  await gate.arrived
  gate.release()
  // The second one meets the first under way, which Stripe answers with 409: its outcome is unknown.
  const outcomes = (await both).map((result) => result.status)
  expect(outcomes.filter((status) => status === 'fulfilled').length).toBeGreaterThanOrEqual(1)
  clock.advance(2 * DAY)
  expect(await refundOf(intent, 'rf_twice', 500n)).toMatchObject({ outcome: 'done' })
  expect(network.refunds(intent.intentId)).toHaveLength(1)
})

test('the limit of requests is reported as busy, and each other failure as unknown', async () => {
  const intent = await prepared()
  faults.always(/./, 'limit')
  const { retrieve, confirm, cancel, capture } = stripe
  const calls: (() => Promise<unknown>)[] = [
    () => retrieve(intent),
    () => confirm(intent),
    () => cancel(intent),
    () => capture(intent),
    () => stripe.prepare(intent),
    () => refundOf(intent, 'rf_busy', 1n),
  ]
  for (const run of calls) await expect(run()).rejects.toBeInstanceOf(ProviderBusy)
  faults.heal()
  for (const fault of ['lost before', 'error before'] as const) {
    faults.always(/./, fault)
    for (const run of calls) {
      const error = await run().catch((reason: unknown) => reason)
      expect(error).toBeInstanceOf(Error)
      expect(error).not.toBeInstanceOf(ProviderBusy)
    }
    faults.heal()
  }
  expect((await stripe.retrieve(intent))?.status).toEqual({ state: 'unconfirmed' })
})

test('one call is one request, though the connection breaks or Stripe answers with an error', async () => {
  const intent = await prepared()
  faults.next(/confirm/, 'lost before', 'error before')
  const before = sent(/confirm/)
  // A lost request never reaches the work, so it is not counted.
  await expect(stripe.confirm(intent)).rejects.toThrow()
  expect(sent(/confirm/)).toBe(before)
  await expect(stripe.confirm(intent)).rejects.toThrow()
  expect(sent(/confirm/)).toBe(before + 1)
})

test('a call ends when its signal aborts, and sends nothing when it has aborted before', async () => {
  const intent = await prepared()
  faults.next(/confirm/, 'silent')
  const abort = new AbortController()
  const call = stripe.confirm({ ...intent, signal: abort.signal })
  await expect.poll(() => network.intent(intent.intentId).status).toBe('requires_capture')
  abort.abort()
  await expect(call).rejects.toThrow()
  const before = network.requests.length
  await expect(stripe.retrieve({ ...intent, signal: abort.signal })).rejects.toThrow('aborted')
  expect(network.requests).toHaveLength(before)
})

test('after a cancel an intent authorizes nothing; after a capture the cancel reports that the money is taken', async () => {
  const intent = await authorized()
  expect(await stripe.cancel(intent)).toBe('cancelled')
  expect(await stripe.cancel(intent)).toBe('cancelled')
  expect(await stripe.capture(intent)).toMatchObject({ outcome: 'refused' })
  expect((await stripe.retrieve(intent))?.status).toEqual({ state: 'cancelled' })
  const unconfirmed = await prepared()
  await stripe.cancel(unconfirmed)
  expect(await stripe.confirm(unconfirmed)).toEqual({ state: 'cancelled' })
  expect(await stripe.cancel(await captured())).toBe('captured')
  expect(await stripe.cancel({ intentId: 'pi_unknown', signal })).toBe('cancelled')
  expect(await stripe.retrieve({ intentId: 'pi_unknown', signal })).toBeNull()
})

test('an intent that the network has not decided cannot be cancelled: the outcome stays unknown', async () => {
  const intent = await prepared({ paymentMethod: 'pm_fake_processing' })
  expect(await stripe.confirm(intent)).toEqual({ state: 'processing' })
  await expect(stripe.cancel(intent)).rejects.toThrow('processing')
  network.decide(intent.intentId)
  expect(await stripe.cancel(intent)).toBe('cancelled')
})

test('a capture is refused for good by the bank, after a week, and for more than was authorized', async () => {
  expect(await stripe.capture(await authorized({ paymentMethod: 'pm_fake_captureRefused' }))).toMatchObject({
    outcome: 'refused',
  })
  const lapsed = await authorized()
  const small = await authorized()
  expect(await stripe.capture({ ...small, amount: { amount: 5_000n, currency: 'EUR' } })).toMatchObject({
    outcome: 'refused',
  })
  clock.advance(8 * DAY)
  expect(await stripe.capture(lapsed)).toMatchObject({ outcome: 'refused' })
  expect((await stripe.retrieve(lapsed))?.status).toEqual({ state: 'cancelled' })
})

test('a capture whose reply was lost is done when it is sent again', async () => {
  const intent = await authorized()
  faults.next(/capture/, 'lost after')
  await expect(stripe.capture(intent)).rejects.toThrow()
  expect(await stripe.capture(intent)).toEqual({ outcome: 'done' })
})

test('a refusal that may be our own fault is an unknown outcome, which cancels no order', async () => {
  // Another account's key: it has no such intent.
  await expect(
    stripe.capture({ intentId: 'pi_unknown', amount: { amount: 1n, currency: 'EUR' }, signal }),
  ).rejects.toThrow('No such payment_intent')
  const wrongKey = createStripe({ secretKey: 'sk_wrong', publishableKey: 'pk', apiUrl: network.url })
  await expect(wrongKey.capture(await authorized())).rejects.toThrow('Invalid API Key')
})

test('a refund is refused where less is left, pending where Stripe has yet to decide, and failed in the record', async () => {
  const intent = await captured({ paymentMethod: 'pm_card_pendingRefund' })
  expect(await refundOf(intent, 'rf_more', 4_551n)).toMatchObject({ outcome: 'refused' })
  const pending = await refundOf(intent, 'rf_wait', 4_550n)
  expect(pending).toMatchObject({ outcome: 'pending' })
  expect(await refundOf(intent, 'rf_next', 1n)).toMatchObject({ outcome: 'refused' })
  network.settleRefund((pending as { providerId: string }).providerId, 'failed')
  expect((await stripe.retrieve(intent))?.refunds).toMatchObject([{ refundId: 'rf_wait', state: 'failed' }])
  expect(await refundOf(intent, 'rf_wait', 4_550n)).toMatchObject({ outcome: 'refused' })
  const refused = await captured({ paymentMethod: 'pm_fake_refundRefused' })
  expect(await refundOf(refused, 'rf_no', 1n)).toEqual({
    outcome: 'refused',
    reason: 'expired_or_canceled_card',
  })
  expect(await refundOf(await authorized(), 'rf_early', 1n)).toMatchObject({ outcome: 'refused' })
})

test('amounts reach Stripe in its own units and come back in ours', async () => {
  const stripeUnits = async (amount: bigint, currency: string) => {
    const intent = await prepared({ amount: { amount, currency } })
    expect((await stripe.retrieve(intent))?.amount).toEqual({ amount, currency })
    const { amount: units, currency: code } = network.intent(intent.intentId)
    return [units, code]
  }
  expect(await stripeUnits(5_000n, 'JPY')).toEqual([5_000, 'jpy'])
  expect(await stripeUnits(12_340n, 'KWD')).toEqual([12_340, 'kwd'])
  expect(await stripeUnits(5_000n, 'ISK')).toEqual([500_000, 'isk'])
  expect(await stripeUnits(500_000n, 'MGA')).toEqual([5_000, 'mga'])
})

test('an amount that Stripe cannot take is not mistaken for an outage', async () => {
  for (const [amount, currency, reason] of [
    [12_345n, 'KWD', 'in steps of 10 minor units'],
    [10n, 'EUR', 'Amount must'],
  ] as const) {
    const preparing = stripe.prepare(request({ amount: { amount, currency } }))
    await expect(preparing).rejects.toBeInstanceOf(CannotCharge)
    await expect(preparing).rejects.toThrow(reason)
  }
})

test('a part of a payment that Stripe cannot return exactly is refused for good, and not tried for ever', async () => {
  const intent = await captured({ amount: { amount: 24_690n, currency: 'KWD' } })
  expect(await refundOf(intent, 'rf_odd', 12_345n)).toEqual({
    outcome: 'refused',
    reason: expect.stringContaining('in steps of 10 minor units'),
  })
  expect(network.refunds(intent.intentId)).toEqual([])
  expect(await refundOf(intent, 'rf_whole', 24_690n)).toMatchObject({ outcome: 'done' })
})

test('the records of an event are listed page by page, each once', async () => {
  const eventId = 'evt_listed'
  const intents = await Promise.all(Array.from({ length: 130 }, () => prepared({ eventId })))
  await stripe.confirm(intents[0] as (typeof intents)[number])
  const listed: ProviderPayment[] = []
  for await (const payment of stripe.list(eventId)) listed.push(payment)
  expect(listed.map(({ orderId }) => orderId).sort()).toEqual(intents.map(({ orderId }) => orderId).sort())
  expect(listed.filter(({ status }) => status.state === 'authorized')).toHaveLength(1)
})

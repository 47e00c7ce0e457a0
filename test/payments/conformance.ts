import { describe, expect, test } from 'vitest'
import type { DeclineReason } from '../../src/declineReason.ts'
import type { Money } from '../../src/money.ts'
import { type PaymentProvider, type PaymentStatus, ProviderBusy } from '../../src/payments/provider.ts'
import { newEventId, newId } from '../../src/sale/ids.ts'

export type Call = 'prepare' | 'confirm' | 'retrieve' | 'cancel' | 'capture' | 'refund'

/** A provider, and the means to make it misbehave. */
export interface ConformanceHarness {
  readonly provider: PaymentProvider
  readonly cards: {
    readonly approved: string
    /** Each of them is declined, for its reason. */
    readonly declined: Readonly<Record<string, DeclineReason>>
    readonly needsAction: string
  }
  /** The next call of this name loses its reply: `before` the provider has done anything, or `after`. */
  loseReply(call: Call, when: 'before' | 'after'): void
  /** The next `times` requests get an error of the provider itself, such as HTTP 500, and do nothing. */
  failNext(times: number): void
  /** The next request meets the provider's rate limit. */
  limitNext(): void
  /** A day and an hour pass: the provider forgets idempotency keys. */
  passDay(): Promise<void>
  /** The buyer finishes the action of a payment. Does nothing where it waits for no action. */
  act(intentId: string, decision: 'approve' | 'refuse'): Promise<void>
}

const AMOUNT: Money = { amount: 10_900n, currency: 'EUR' }

/** Tests that a provider keeps the promises of src/payments/provider.ts. */
export function conformance(name: string, harness: ConformanceHarness): void {
  const { provider, cards } = harness
  const never = () => new AbortController().signal

  function request(paymentMethod = cards.approved, amount = AMOUNT, eventId = newEventId()) {
    const returnUrl = 'https://tickets.example.com/payments/return/order'
    return { orderId: newId('ord', eventId), eventId, amount, paymentMethod, returnUrl }
  }

  /** An intent, and its calls. */
  async function prepared(paymentMethod?: string, amount?: Money, eventId?: string) {
    const asked = request(paymentMethod, amount, eventId)
    const { intentId } = await provider.prepare({ ...asked, signal: never() })
    const refundId = `rfd_${intentId}_1`
    return {
      ...asked,
      intentId,
      confirm: () => provider.confirm({ ...asked, intentId, signal: never() }),
      retrieve: () => provider.retrieve({ intentId, signal: never() }),
      cancel: () => provider.cancel({ intentId, signal: never() }),
      capture: () => provider.capture({ intentId, amount: asked.amount, signal: never() }),
      refund: (part = asked.amount.amount, id = refundId) =>
        provider.refund({
          intentId,
          refundId: id,
          amount: { ...asked.amount, amount: part },
          signal: never(),
        }),
    }
  }

  async function authorized(paymentMethod?: string, amount?: Money, eventId?: string) {
    const payment = await prepared(paymentMethod, amount, eventId)
    expect(await payment.confirm()).toMatchObject({ state: 'authorized' })
    return payment
  }

  async function captured(amount?: Money) {
    const payment = await authorized(undefined, amount)
    expect(await payment.capture()).toEqual({ outcome: 'done' })
    return payment
  }

  type Prepared = Awaited<ReturnType<typeof prepared>>

  async function recordOf(payment: Prepared) {
    const record = await payment.retrieve()
    if (!record) throw new Error('the provider has lost the payment')
    const refunded = record.refunds
      .filter(({ state }) => state === 'done')
      .reduce((sum, { amount }) => sum + amount, 0n)
    return { state: record.status.state, captured: record.captured, refunded }
  }

  /** Calls again while the answer is no definite one, as the server does: after an error it reads the record first. */
  async function insist<T>(call: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await call()
      } catch (error) {
        if (attempt === 8) throw error
      }
    }
  }

  async function confirmed(payment: Prepared): Promise<PaymentStatus> {
    return insist(async () => {
      const record = await payment.retrieve()
      return record && record.status.state !== 'unconfirmed' ? record.status : payment.confirm()
    })
  }

  describe(`the provider ${name}`, () => {
    test('makes an intent that holds no money, and knows its order and event', async () => {
      const payment = await prepared()
      expect(await payment.retrieve()).toMatchObject({
        intentId: payment.intentId,
        orderId: payment.orderId,
        eventId: payment.eventId,
        status: { state: 'unconfirmed' },
        amount: AMOUNT,
        captured: 0n,
        refunds: [],
      })
    })

    test('authorizes, captures and returns money, each once', async () => {
      const payment = await authorized()
      const status = (await payment.retrieve())?.status
      expect(status).toMatchObject({ state: 'authorized', authorizedUntil: expect.any(Date) })
      expect(await payment.capture()).toEqual({ outcome: 'done' })
      expect(await payment.capture()).toEqual({ outcome: 'done' })
      expect(await recordOf(payment)).toEqual({ state: 'captured', captured: 10_900n, refunded: 0n })
      expect(await payment.refund()).toMatchObject({ outcome: 'done' })
      expect(await payment.refund()).toMatchObject({ outcome: 'done' })
      expect(await recordOf(payment)).toEqual({ state: 'captured', captured: 10_900n, refunded: 10_900n })
    })

    test.each(Object.entries(cards.declined))('declines %s: %s', async (card, reason) => {
      const payment = await prepared(card)
      expect(await payment.confirm()).toEqual({ state: 'declined', reason })
      expect((await payment.retrieve())?.status).toEqual({ state: 'declined', reason })
      expect(await payment.cancel()).toBe('cancelled')
      // Some providers keep the reason; no card can be sent in either state.
      const record = await recordOf(payment)
      expect(['cancelled', 'declined']).toContain(record.state)
      expect(record.captured).toBe(0n)
    })

    test.each([[{ amount: 5_000n, currency: 'JPY' }], [{ amount: 12_340n, currency: 'KWD' }]])(
      'takes exact minor units: %o',
      async (amount) => {
        const payment = await captured(amount)
        expect(await payment.retrieve()).toMatchObject({ amount, captured: amount.amount })
      },
    )

    describe.each(['before', 'after'] as const)('that loses a reply %s the effect', (when) => {
      test('to prepare makes another intent, and neither holds money', async () => {
        harness.loseReply('prepare', when)
        await expect(prepared()).rejects.toThrow()
        expect(await recordOf(await prepared())).toMatchObject({ state: 'unconfirmed' })
      })

      test('to confirm authorizes once', async () => {
        const payment = await prepared()
        harness.loseReply('confirm', when)
        expect(await confirmed(payment)).toMatchObject({ state: 'authorized' })
        expect(await payment.capture()).toEqual({ outcome: 'done' })
        expect(await recordOf(payment)).toMatchObject({ captured: 10_900n })
      })

      test('to retrieve reports the same afterwards', async () => {
        const payment = await authorized()
        harness.loseReply('retrieve', when)
        await expect(payment.retrieve()).rejects.toThrow()
        expect(await recordOf(payment)).toMatchObject({ state: 'authorized' })
      })

      test('to capture captures once', async () => {
        const payment = await authorized()
        harness.loseReply('capture', when)
        expect(await insist(payment.capture)).toEqual({ outcome: 'done' })
        expect(await recordOf(payment)).toMatchObject({ state: 'captured', captured: 10_900n })
      })

      test('to cancel cancels', async () => {
        const payment = await authorized()
        harness.loseReply('cancel', when)
        expect(await insist(payment.cancel)).toBe('cancelled')
        expect(await recordOf(payment)).toMatchObject({ state: 'cancelled', captured: 0n })
      })

      test('to refund returns the money once', async () => {
        const payment = await captured()
        harness.loseReply('refund', when)
        expect(await insist(() => payment.refund(4_000n))).toMatchObject({ outcome: 'done' })
        expect(await recordOf(payment)).toMatchObject({ refunded: 4_000n })
      })
    })

    test('gets calls twice at the same time, and does each once', async () => {
      const payment = await prepared()
      await Promise.allSettled([payment.confirm(), payment.confirm(), payment.confirm()])
      expect(await confirmed(payment)).toMatchObject({ state: 'authorized' })
      await Promise.allSettled([payment.capture(), payment.capture(), payment.capture()])
      expect(await insist(payment.capture)).toEqual({ outcome: 'done' })
      await Promise.allSettled([payment.refund(100n), payment.refund(100n), payment.refund(100n)])
      expect(await insist(() => payment.refund(100n))).toMatchObject({ outcome: 'done' })
      expect(await recordOf(payment)).toEqual({ state: 'captured', captured: 10_900n, refunded: 100n })
    })

    test('gets a capture and a cancel at the same time, and reports one of them for good', async () => {
      for (let round = 0; round < 5; round++) {
        const payment = await authorized()
        await Promise.allSettled([payment.capture(), payment.cancel()])
        const cancel = await insist(payment.cancel)
        const capture = await insist(payment.capture)
        const record = await recordOf(payment)
        if (cancel === 'captured') expect([capture.outcome, record.captured]).toEqual(['done', 10_900n])
        else expect([capture.outcome, record.captured]).toEqual(['refused', 0n])
      }
    })

    test('does no call again a day later, when its keys are forgotten', async () => {
      const payment = await captured()
      await payment.refund(4_000n)
      await harness.passDay()
      expect(await insist(payment.capture)).toEqual({ outcome: 'done' })
      // The server reads the record before each refund.
      const { refunds = [] } = (await payment.retrieve()) ?? {}
      expect(refunds).toMatchObject([
        { refundId: `rfd_${payment.intentId}_1`, amount: 4_000n, state: 'done' },
      ])
      expect(await confirmed(payment)).toMatchObject({ state: 'captured' })
      expect(await recordOf(payment)).toEqual({ state: 'captured', captured: 10_900n, refunded: 4_000n })
    })

    test('at its rate limit does nothing, and says when to come back', async () => {
      const payment = await authorized()
      for (const call of [payment.capture, payment.cancel, payment.retrieve] as const) {
        harness.limitNext()
        const error = await call().then(
          () => null,
          (reason: unknown) => reason,
        )
        expect(error).toBeInstanceOf(ProviderBusy)
        expect((error as ProviderBusy).retryAfterSeconds).toBeGreaterThan(0)
      }
      expect(await recordOf(payment)).toMatchObject({ state: 'authorized', captured: 0n })
    })

    test.each([1, 5])('that is out of order %i times works again', async (times) => {
      const payment = await prepared()
      harness.failNext(times)
      for (let i = 0; i < times; i++) {
        const error = await payment.confirm().then(
          () => null,
          (reason: unknown) => reason,
        )
        expect(error).toBeInstanceOf(Error)
        expect(error).not.toBeInstanceOf(ProviderBusy)
      }
      expect(await confirmed(payment)).toMatchObject({ state: 'authorized' })
      harness.failNext(times)
      expect(await insist(payment.capture)).toEqual({ outcome: 'done' })
      harness.failNext(times)
      expect(await insist(() => payment.refund(100n))).toMatchObject({ outcome: 'done' })
      expect(await recordOf(payment)).toEqual({ state: 'captured', captured: 10_900n, refunded: 100n })
    })

    describe('that waits for its buyer', () => {
      async function waiting() {
        const payment = await prepared(cards.needsAction)
        const status = await payment.confirm()
        if (status.state !== 'action_required') throw new Error(status.state)
        expect(status.action.url !== null || status.action.clientSecret !== null).toBe(true)
        expect((await payment.retrieve())?.status).toMatchObject({ state: 'action_required' })
        return payment
      }

      test('authorizes after the buyer approves', async () => {
        const payment = await waiting()
        await harness.act(payment.intentId, 'approve')
        expect(await recordOf(payment)).toMatchObject({ state: 'authorized' })
        expect(await payment.capture()).toEqual({ outcome: 'done' })
      })

      test('is declined after the buyer refuses', async () => {
        const payment = await waiting()
        await harness.act(payment.intentId, 'refuse')
        expect((await payment.retrieve())?.status).toEqual({
          state: 'declined',
          reason: 'AUTHENTICATION_FAILED',
        })
      })

      test('authorizes nothing where it was cancelled before the buyer comes back', async () => {
        const payment = await waiting()
        expect(await payment.cancel()).toBe('cancelled')
        await harness.act(payment.intentId, 'approve')
        expect(await recordOf(payment)).toMatchObject({ state: 'cancelled', captured: 0n })
      })
    })

    test('captures nothing after a cancel, and cancels nothing after a capture', async () => {
      const cancelled = await authorized()
      expect(await cancelled.cancel()).toBe('cancelled')
      expect(await cancelled.capture()).toMatchObject({ outcome: 'refused', reason: expect.any(String) })
      expect(await cancelled.cancel()).toBe('cancelled')
      expect(await recordOf(cancelled)).toMatchObject({ state: 'cancelled', captured: 0n })

      const taken = await captured()
      expect(await taken.cancel()).toBe('captured')
      expect(await recordOf(taken)).toMatchObject({ state: 'captured', captured: 10_900n, refunded: 0n })
    })

    test('confirms nothing after a cancel', async () => {
      const payment = await prepared()
      expect(await payment.cancel()).toBe('cancelled')
      const status = await payment.confirm().catch(() => ({ state: 'refused' }))
      expect(['cancelled', 'refused']).toContain(status.state)
      expect(await recordOf(payment)).toMatchObject({ state: 'cancelled' })
    })

    test('returns money in parts, and never more than is left', async () => {
      const payment = await captured()
      expect(await payment.refund(10_000n, `rfd_${payment.intentId}_a`)).toMatchObject({ outcome: 'done' })
      expect(await payment.refund(901n, `rfd_${payment.intentId}_b`)).toMatchObject({ outcome: 'refused' })
      expect(await payment.refund(900n, `rfd_${payment.intentId}_c`)).toMatchObject({ outcome: 'done' })
      expect(await payment.refund(1n, `rfd_${payment.intentId}_d`)).toMatchObject({ outcome: 'refused' })
      expect(await recordOf(payment)).toEqual({ state: 'captured', captured: 10_900n, refunded: 10_900n })
    })

    test('has no money to return before a capture', async () => {
      const payment = await authorized()
      expect(await payment.refund(1n)).toMatchObject({ outcome: 'refused' })
    })

    test('knows nothing of an intent that it never made', async () => {
      const { intentId } = await prepared()
      const unknown = `${intentId.slice(0, -4)}0000`
      expect(await provider.retrieve({ intentId: unknown, signal: never() })).toBeNull()
      expect(await provider.cancel({ intentId: unknown, signal: never() })).toBe('cancelled')
    })

    test('ends a call that is aborted', async () => {
      const payment = await authorized()
      const { intentId } = payment
      const calls = [
        (signal: AbortSignal) => provider.retrieve({ intentId, signal }),
        (signal: AbortSignal) => provider.capture({ intentId, amount: AMOUNT, signal }),
        (signal: AbortSignal) => provider.cancel({ intentId, signal }),
      ]
      for (const call of calls) await expect(call(AbortSignal.abort(new Error('too late')))).rejects.toThrow()
      expect(await recordOf(payment)).toMatchObject({ state: 'authorized' })
    })

    test('lists each payment of an event once', async () => {
      const eventId = newEventId()
      const payments = [
        await prepared(undefined, undefined, eventId),
        await authorized(undefined, undefined, eventId),
      ]
      await authorized()
      const listed = []
      for await (const payment of provider.list(eventId)) listed.push(payment)
      expect(listed.map(({ intentId, orderId }) => ({ intentId, orderId })).sort(byIntent)).toEqual(
        payments.map(({ intentId, orderId }) => ({ intentId, orderId })).sort(byIntent),
      )
    })
  })
}

const byIntent = (a: { intentId: string }, b: { intentId: string }) => (a.intentId < b.intentId ? -1 : 1)

import { randomBytes } from 'node:crypto'
import type { FakeClock } from '../providers/clock.ts'

export interface Amount {
  currency: string
  value: string
}

export interface Payment {
  id: string
  status: 'open' | 'pending' | 'authorized' | 'paid' | 'failed' | 'canceled' | 'expired'
  amount: Amount
  captured: string | null
  description: string
  redirectUrl: string
  webhookUrl: string | null
  metadata: Record<string, string>
  createdAt: number
  authorizedAt: number | null
  failureReason: string | null
  isCancelable: boolean
}

export interface Capture {
  id: string
  paymentId: string
  status: 'pending' | 'succeeded' | 'failed'
  amount: Amount
  createdAt: number
}

export interface Refund {
  id: string
  paymentId: string
  status: 'queued' | 'pending' | 'processing' | 'refunded' | 'failed' | 'canceled'
  amount: Amount
  metadata: Record<string, string>
  createdAt: number
}

/** An answer of Mollie's that is an error, thrown. */
export class MollieFailure extends Error {
  readonly status: number
  readonly field: string | undefined
  constructor(status: number, detail: string, field?: string) {
    super(detail)
    this.status = status
    this.field = field
  }
}

const OPEN_MS = 15 * 60_000
const AUTHORIZED_MS = 7 * 86_400_000
const UPDATE = ['redirectUrl', 'metadata']
const CREATE = ['amount', 'description', 'redirectUrl', 'webhookUrl', 'method', 'captureMode', 'metadata']

/** Mollie's payments, captures and refunds: states, and what each call may do in each of them. */
export function createPaymentRecords(clock: FakeClock, changed: (payment: Payment) => void) {
  const payments = new Map<string, Payment>()
  const captures: Capture[] = []
  const refunds: Refund[] = []
  const newId = (prefix: string) => `${prefix}_${randomBytes(8).toString('hex')}`
  const units = ({ value }: Amount) => BigInt(value.replace('.', ''))

  function move(payment: Payment, status: Payment['status']) {
    payment.status = status
    changed(payment)
  }

  function get(id: string): Payment {
    const payment = payments.get(id)
    if (!payment) throw new MollieFailure(404, `No payment exists with token ${id}`)
    if (payment.status === 'open' && payment.createdAt + OPEN_MS <= clock.now()) move(payment, 'expired')
    const isLapsed =
      payment.status === 'authorized' && (payment.authorizedAt as number) + AUTHORIZED_MS <= clock.now()
    if (isLapsed) move(payment, 'expired')
    return payment
  }

  return {
    payments,
    captures,
    refunds,
    get,
    move,

    create(body: Record<string, unknown>): Payment {
      for (const name of Object.keys(body))
        if (!CREATE.includes(name))
          throw new MollieFailure(422, `Non-existent body parameter "${name}"`, name)
      if (body.method !== 'creditcard')
        throw new MollieFailure(422, 'The payment method is invalid', 'method')
      const amount = body.amount as Amount
      if (!/^\d+(\.\d+)?$/.test(amount.value)) throw new MollieFailure(422, 'The amount is invalid', 'amount')
      const payment: Payment = {
        id: newId('tr'),
        status: 'open',
        amount,
        captured: null,
        description: String(body.description),
        redirectUrl: String(body.redirectUrl),
        webhookUrl: (body.webhookUrl as string | undefined) ?? null,
        metadata: body.metadata as Record<string, string>,
        createdAt: clock.now(),
        authorizedAt: null,
        failureReason: null,
        isCancelable: true,
      }
      payments.set(payment.id, payment)
      return payment
    },

    update(id: string, body: Record<string, unknown>): Payment {
      for (const name of Object.keys(body))
        if (!UPDATE.includes(name))
          throw new MollieFailure(422, `Non-existent body parameter "${name}"`, name)
      const payment = get(id)
      if (payment.status !== 'open') throw new MollieFailure(422, 'The payment can no longer be updated')
      return Object.assign(payment, body)
    },

    cancel(id: string): Payment {
      const payment = get(id)
      if (payment.status !== 'open' || !payment.isCancelable)
        throw new MollieFailure(422, 'The payment cannot be canceled')
      move(payment, 'canceled')
      return payment
    },

    /** Mollie accepts it, and carries it out when the test says so (`settleRelease`), or at once. */
    release(id: string, isSlow: boolean) {
      const payment = get(id)
      if (payment.status !== 'authorized')
        throw new MollieFailure(422, 'The payment has no authorization to release')
      if (!isSlow) move(payment, 'canceled')
    },

    capture(id: string, amount: Amount, outcome: Capture['status']): Capture {
      const payment = get(id)
      if (payment.status !== 'authorized')
        throw new MollieFailure(422, 'The payment is not authorized', 'paymentId')
      if (units(amount) > units(payment.amount))
        throw new MollieFailure(422, 'The amount is too high', 'amount')
      if (captures.some(({ paymentId, status }) => paymentId === id && status === 'pending'))
        throw new MollieFailure(422, 'A capture is pending')
      const capture: Capture = {
        id: newId('cpt'),
        paymentId: id,
        status: outcome,
        amount,
        createdAt: clock.now(),
      }
      captures.push(capture)
      if (outcome === 'succeeded') this.settleCapture(capture, 'succeeded')
      return capture
    },

    settleCapture(capture: Capture, status: 'succeeded' | 'failed') {
      capture.status = status
      const payment = get(capture.paymentId)
      if (status === 'succeeded') payment.captured = capture.amount.value
      move(payment, status === 'succeeded' ? 'paid' : payment.status)
    },

    refund(id: string, amount: Amount, metadata: Record<string, string>, status: Refund['status']): Refund {
      const payment = get(id)
      if (payment.status !== 'paid') throw new MollieFailure(422, 'The payment cannot be refunded')
      const taken = refunds
        .filter(({ paymentId, status }) => paymentId === id && !['failed', 'canceled'].includes(status))
        .reduce((sum, refund) => sum + units(refund.amount), 0n)
      const most = units({ ...payment.amount, value: payment.captured as string }) - taken
      if (units(amount) > most)
        throw new MollieFailure(422, 'The amount is higher than the maximum', 'amount')
      const refund: Refund = {
        id: newId('re'),
        paymentId: id,
        status,
        amount,
        metadata,
        createdAt: clock.now(),
      }
      refunds.unshift(refund)
      changed(payment)
      return refund
    },

    openUntil: (payment: Payment) => new Date(payment.createdAt + OPEN_MS),
    authorizedUntil: (payment: Payment) => new Date((payment.authorizedAt as number) + AUTHORIZED_MS),
  }
}

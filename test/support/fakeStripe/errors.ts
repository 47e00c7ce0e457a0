import type { FakeReply } from '../providers/server.ts'

/** An answer of Stripe's that is an error, thrown. */
export class StripeFailure extends Error {
  readonly status: number
  readonly error: Record<string, unknown>
  constructor(status: number, error: Record<string, unknown> & { message: string }) {
    super(error.message)
    this.status = status
    this.error = error
  }
}

export const invalidRequest = (message: string, rest: { code?: string; param?: string } = {}) =>
  new StripeFailure(400, { type: 'invalid_request_error', message, ...rest })

export const missing = (kind: string, id: string, param: string) =>
  new StripeFailure(param === 'intent' ? 404 : 400, {
    type: 'invalid_request_error',
    code: 'resource_missing',
    message: `No such ${kind}: '${id}'`,
    param,
  })

export const unexpectedState = (action: string, intent: { status: string }) =>
  new StripeFailure(400, {
    type: 'invalid_request_error',
    code: 'payment_intent_unexpected_state',
    message: `You cannot ${action} this PaymentIntent because it has a status of ${intent.status}.`,
    payment_intent: intent,
  })

export const keyInUse = () =>
  new StripeFailure(409, {
    type: 'idempotency_error',
    code: 'idempotency_key_in_use',
    message: 'There is currently another in-progress request using this Idempotent Key.',
  })

export const otherParameters = (key: string) =>
  new StripeFailure(400, {
    type: 'idempotency_error',
    message: `Keys for idempotent requests can only be used with the same parameters they were first used with: ${key}`,
  })

export const serverError: FakeReply = {
  status: 500,
  body: { error: { type: 'api_error', message: 'An unknown error occurred.' } },
}

/** The limit of requests a second. Stripe sends no Retry-After with it. */
export const rateLimited: FakeReply = {
  status: 429,
  body: {
    error: { type: 'invalid_request_error', code: 'rate_limit', message: 'Request rate limit exceeded.' },
  },
}

export const reply = ({ status, error }: StripeFailure): FakeReply => ({ status, body: { error } })

import { createFakeClock, type FakeClock } from '../providers/clock.ts'
import { createFaults, type Faults } from '../providers/faults.ts'
import { type FakeReply, type FakeRequest, serveProvider } from '../providers/server.ts'
import { invalidRequest, rateLimited, reply, StripeFailure, serverError } from './errors.ts'
import { createEvents, type StripeEvent } from './events.ts'
import { type Form, readForm } from './form.ts'
import { createIdempotency } from './idempotency.ts'
import { createPaymentRecords, type Intent, type Refund } from './payments.ts'

/*
 * A server of our own that speaks the part of Stripe's API that we call, and misbehaves on demand. Stripe's `stripe-mock` keeps
 * no state, and comes with no package registry; npm's `stripe-stateful-mock` (last release 2024) knows charges and no
 * PaymentIntents; `localstripe` is Python, knows no capture by hand, and neither can misbehave. A real Stripe account still
 * has to confirm what this server only imitates: docs/payments.md lists it.
 */

export interface FakeStripe {
  readonly url: string
  readonly secretKey: string
  readonly faults: Faults
  readonly clock: FakeClock
  /** `POST /v1/refunds`, of every request that arrived. */
  readonly requests: readonly string[]
  readonly events: readonly StripeEvent[]
  intent(id: string): Intent
  intents(): Intent[]
  refunds(intentId: string): Refund[]
  /** The buyer finishes or fails the authentication that an intent waits for. */
  authenticate(intentId: string, outcome: 'passed' | 'failed'): void
  /** The network decides an intent that is `processing`. */
  decide(intentId: string): void
  settleRefund(refundId: string, status: 'succeeded' | 'failed'): void
}

export async function fakeStripe(): Promise<FakeStripe> {
  const clock = createFakeClock()
  const faults = createFaults()
  const requests: string[] = []
  let apiVersion = ''
  const { events, happened } = createEvents(clock, () => apiVersion)
  const records = createPaymentRecords(clock, happened)
  const idempotency = createIdempotency(clock.now)
  const secretKey = 'sk_test_fairgate'

  const handle = async (request: FakeRequest, failing: 'before' | 'after' | null): Promise<FakeReply> => {
    const { method, path, headers, body } = request
    const name = `${method} ${path}`
    requests.push(name)
    try {
      if (headers.authorization !== `Bearer ${secretKey}`)
        throw new StripeFailure(401, { type: 'invalid_request_error', message: 'Invalid API Key provided.' })
      apiVersion = String(headers['stripe-version'])
      const work = async () => {
        await faults.wait(name, 'before')
        if (failing === 'before') return serverError
        const answer = route(request)
        return failing === 'after' ? serverError : answer
      }
      const key = headers['idempotency-key']
      return await (method === 'POST' && typeof key === 'string'
        ? idempotency.run(key, `${path}?${body}`, work)
        : work())
    } catch (error) {
      if (error instanceof StripeFailure) return reply(error)
      throw error
    }
  }

  /** The work of a request: its effect and its answer, a refusal too. */
  function route({ method, path, query, body }: FakeRequest): FakeReply {
    try {
      return { status: 200, body: perform(method, path, readForm(method === 'GET' ? query : body)) }
    } catch (error) {
      if (error instanceof StripeFailure) return reply(error)
      throw error
    }
  }

  function perform(method: string, path: string, form: Form): unknown {
    const [, id = '', action] = /^\/v1\/payment_intents(?:\/(\w+))?(?:\/(\w+))?$/.exec(path) ?? []
    const expand = (form.expand as string[] | undefined) ?? []
    const name = `${method} ${path.replace(/(pi|re)_\w+/, ':id')}`
    switch (name) {
      case 'POST /v1/payment_intents':
        return records.view(records.create(form), expand)
      case 'GET /v1/payment_intents/:id':
        return records.view(records.get(id), expand)
      case 'POST /v1/payment_intents/:id/confirm':
      case 'POST /v1/payment_intents/:id/cancel':
      case 'POST /v1/payment_intents/:id/capture':
        return records.view(records[action as 'confirm' | 'cancel' | 'capture'](id, form), expand)
      case 'GET /v1/payment_intents/search':
        return search(form)
      case 'POST /v1/refunds':
        return records.refund(form)
      case 'GET /v1/refunds':
        return listRefunds(form)
      default:
        throw invalidRequest(`Unrecognized request URL (${name}).`)
    }
  }

  function search({ query, limit, page = '0', expand }: Form) {
    const [, key = '', value] = /^metadata\['(\w+)'\]:'([\w-]+)'$/.exec(String(query)) ?? []
    const found = [...records.intents.values()].filter(({ metadata }) => metadata[key] === value)
    const [from, size] = [Number(page), Number(limit)]
    const inner = ((expand as string[] | undefined) ?? []).map((path) => path.replace(/^data\./, ''))
    const has_more = from + size < found.length
    return {
      object: 'search_result',
      url: '/v1/payment_intents/search',
      data: found.slice(from, from + size).map((intent) => records.view(intent, inner)),
      has_more,
      next_page: has_more ? String(from + size) : null,
    }
  }

  function listRefunds({ payment_intent, limit, starting_after }: Form) {
    const found = records.refunds.filter((refund) => refund.payment_intent === payment_intent)
    const from = found.findIndex(({ id }) => id === starting_after) + 1
    const to = from + Number(limit)
    return { object: 'list', url: '/v1/refunds', data: found.slice(from, to), has_more: to < found.length }
  }

  const url = await serveProvider({ faults, contentType: 'application/json', handle, limit: rateLimited })
  return {
    url,
    secretKey,
    faults,
    clock,
    requests,
    events,
    intent: records.get,
    intents: () => [...records.intents.values()],
    refunds: (intentId) => records.refunds.filter(({ payment_intent }) => payment_intent === intentId),
    authenticate(intentId, outcome) {
      const intent = records.get(intentId)
      if (intent.status !== 'requires_action') throw new Error(`${intentId} is ${intent.status}`)
      if (outcome === 'passed') return records.decide(intent)
      records.declined(intent, {
        type: 'invalid_request_error',
        code: 'payment_intent_authentication_failure',
        message: 'The provided PaymentMethod has failed authentication.',
      })
    },
    decide: (intentId) => records.decide(records.get(intentId)),
    settleRefund(refundId, status) {
      const refund = records.refunds.find(({ id }) => id === refundId)
      if (!refund) throw new Error(`no refund ${refundId}`)
      records.settleRefund(refund, status)
    },
  }
}

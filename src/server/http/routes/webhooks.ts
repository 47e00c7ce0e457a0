import type { IncomingMessage, ServerResponse } from 'node:http'
import type { App } from '../../../app.ts'
import { BadWebhook, type ReadWebhook } from '../../../payments/webhooks.ts'
import { Fault } from '../../../sale/faults.ts'
import { BadRequest, readBody } from '../bodies.ts'
import { clientAddress } from '../clientAddress.ts'
import { BODY_BUDGET, type BodyBudget } from '../limits/bodyBudget.ts'
import { NO_STORE, sendJson } from '../responses.ts'
import type { PaymentSignals } from './paymentSignals.ts'

/** The largest body in bytes. Stripe's events about a payment have about 4 KB. */
const BODY_LIMIT = 64 * 1_024
const RETRY_SECONDS = 30
/** A refusal is logged once in so long: anybody can send one. */
const REFUSALS_LOGGED_MS = 60_000

export interface WebhooksDeps {
  app: App
  signals: Pick<PaymentSignals, 'reported'>
  bodyBudget: BodyBudget
}

/**
 * `POST /webhooks/:provider`: a provider reports that a payment may have changed. The server reads the payment from the provider
 * then, so a report that is late, doubled or out of order does no harm.
 *
 * The answer is 200 also for a payment of another installation that shares the provider's account, and 503 where the payment
 * could not be read: the provider sends the report again, and the settler does the same work without it. Throws BadRequest.
 */
export function createWebhooks({ app, signals, bodyBudget }: WebhooksDeps) {
  const { log } = app
  let loggedAt = Number.NEGATIVE_INFINITY

  function logRefusal(provider: string, error: BadWebhook) {
    if (performance.now() - loggedAt < REFUSALS_LOGGED_MS) return
    loggedAt = performance.now()
    log.warn({ provider, reason: error.message }, 'webhooks are refused')
  }

  async function bodyOf(request: IncomingMessage, response: ServerResponse): Promise<Buffer> {
    if (Number(request.headers['content-length'] ?? Number.POSITIVE_INFINITY) <= BODY_BUDGET.freeBytes)
      return readBody(request, BODY_LIMIT)
    const lease = bodyBudget.begin('others', clientAddress(request, app.env.trustedProxies) ?? '')
    response.once('close', lease.end)
    return readBody(request, BODY_LIMIT, (chunk) => lease.take(chunk.length))
  }

  return async (
    provider: string,
    read: ReadWebhook,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> => {
    const body = await bodyOf(request, response)
    const intentId = await read({ body, headers: request.headers }).catch((error) => {
      if (!(error instanceof BadWebhook)) throw error
      logRefusal(provider, error)
      throw new BadRequest(400, error.message)
    })
    if (intentId === null) return sendJson(response, 200, { ours: false }, NO_STORE)
    const ours = await signals.reported(provider, intentId).catch((error) => {
      if (error instanceof Fault) throw error
      log.warn({ provider, intentId, err: error }, 'a payment that changed could not be read')
      return null
    })
    if (ours !== null) return sendJson(response, 200, { ours }, NO_STORE)
    sendJson(
      response,
      503,
      { errors: [{ message: 'The payment could not be read yet.', extensions: { code: 'OVERLOADED' } }] },
      { ...NO_STORE, 'retry-after': String(RETRY_SECONDS) },
    )
  }
}

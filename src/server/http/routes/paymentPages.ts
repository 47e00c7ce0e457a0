import type { IncomingMessage, ServerResponse } from 'node:http'
import type { App } from '../../../app.ts'
import { actionPath } from '../../../payments/sandbox.ts'
import { eventOf } from '../../../sale/ids.ts'
import type { Priority } from '../../graphql/priority.ts'
import { BadRequest, readBody } from '../bodies.ts'
import { NO_STORE, sendError } from '../responses.ts'
import type { PaymentSignals } from './paymentSignals.ts'

const BODY_LIMIT = 1_024
const HTML = { 'content-type': 'text/html; charset=utf-8', ...NO_STORE }

interface PaymentPagesDeps {
  app: Pick<App, 'catalogue' | 'log' | 'sandboxDesk'>
  priority: Priority
  signals: Pick<PaymentSignals, 'returned'>
}

/** The page to which a provider sends the buyer back, and the sandbox's page on which the buyer approves or refuses. */
export function createPaymentPages({ app, priority, signals }: PaymentPagesDeps) {
  const { catalogue, log, sandboxDesk } = app

  return {
    /** Reads from the provider where the order's payment stands, and redirects the buyer to the event's page. */
    async sendReturn(response: ServerResponse, orderId: string): Promise<void> {
      const eventId = eventOf('ord', orderId)
      const event = eventId && (await priority.run('maps', () => catalogue.event(eventId), eventId))
      if (!event) return sendError(response, 404, 'There is no such order.')
      await signals
        .returned(orderId)
        .catch((error) =>
          log.warn({ err: error, orderId }, 'a payment was not read on the return of its buyer'),
        )
      response.writeHead(303, { location: `/e/${event.slug}`, ...NO_STORE }).end()
    },

    async sendAction(request: IncomingMessage, response: ServerResponse, intentId: string): Promise<void> {
      const payment = await priority.run('browsing', () => sandboxDesk.waiting(intentId))
      if (!payment) return sendError(response, 404, 'There is no such payment.')
      const { amount, isDecided } = payment
      const money = `${amount.amount} ${amount.currency} (minor units)`
      const body = isDecided ? DECIDED : `<p>A shop asks for ${money}.</p>${form(intentId)}`
      response.writeHead(200, HTML).end(request.method === 'HEAD' ? undefined : page(body))
    },

    /** Takes the form of the page: `decision=approve` or `decision=refuse`. */
    async takeDecision(request: IncomingMessage, response: ServerResponse, intentId: string): Promise<void> {
      const decision = new URLSearchParams((await readBody(request, BODY_LIMIT)).toString()).get('decision')
      if (decision !== 'approve' && decision !== 'refuse')
        throw new BadRequest(400, 'The field "decision" must be approve or refuse.')
      const returnUrl = await priority.run('checkout', () => sandboxDesk.decide(intentId, decision))
      if (returnUrl === null) return sendError(response, 404, 'There is no such payment.')
      response.writeHead(303, { location: returnUrl, ...NO_STORE }).end()
    },
  }
}

const form = (
  intentId: string,
) => `<form method="post" action="${actionPath(encodeURIComponent(intentId))}/decision">
<button name="decision" value="approve">Approve</button>
<button name="decision" value="refuse">Refuse</button>
</form>`
const DECIDED = '<p>You have decided about this payment. You can close this page.</p>'

const page = (body: string) => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Your bank (sandbox)</title>
<style>body { font: 1.125rem/1.5 system-ui; max-width: 28rem; margin: 4rem auto; padding: 0 1rem } button { font: inherit; padding: .5rem 1rem }</style>
<main>
<h1>Your bank (sandbox)</h1>
${body}
</main>
</html>
`

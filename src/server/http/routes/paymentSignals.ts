import type { App } from '../../../app.ts'
import { createPacedReads } from '../../../async/pacedReads.ts'
import { eventNamedBy } from '../../../sale/ids.ts'
import type { Priority } from '../../graphql/priority.ts'

/**
 * The rest between two looks at one payment. Any caller who knows the id of a payment or of an order can cause them, and each look
 * takes one of the calls that the provider allows in a second.
 */
const REST_MS = 500

/**
 * Signs from outside that a payment may have changed. Callers with the same id share one look, and wait for it in no slot. Any caller
 * can invent ids, in the name of an event too: only an id of an order takes a slot of the checkout.
 */
export interface PaymentSignals {
  /** The buyer of the order is back. Throws where the provider does not answer. */
  returned(orderId: string): Promise<void>
  /** The provider reports the intent. False where no order has it. Throws where the provider does not answer. */
  reported(provider: string, intentId: string): Promise<boolean>
}

export function createPaymentSignals({
  app: { checkout },
  priority,
}: {
  app: Pick<App, 'checkout'>
  priority: Priority
}): PaymentSignals {
  const orders = createPacedReads<void>(REST_MS)
  const intents = createPacedReads<boolean>(REST_MS)
  return {
    returned: (orderId) =>
      orders.read(orderId, async () => {
        const ofEvent = eventNamedBy(orderId)
        const eventId = await priority.run('maps', () => checkout.eventOfOrder(orderId), ofEvent)
        if (eventId === null) return
        await priority.run('checkout', () => checkout.settle(orderId), eventId)
      }),
    reported: (provider, intentId) =>
      intents.read(`${provider} ${intentId}`, async () => {
        const eventId = await priority.run('maps', () => checkout.eventOfIntent(provider, intentId))
        if (eventId === null) return false
        return priority.run('checkout', () => checkout.paymentChanged(provider, intentId), eventId)
      }),
  }
}

import type { Client } from './client.ts'
import { follow } from './follow.ts'
import type { Live } from './live.ts'
import { checkout, readOrder, watchOrder } from './operations.ts'
import type { Order, Refused } from './schema.ts'
import { randomId } from './session.ts'

/** How a payment ended. An Order is CONFIRMED, or CANCELLED since. */
export type Paid =
  | Order
  | { __typename: 'PaymentDeclined'; order: Order }
  | { __typename: 'SeatsGone'; order: Order }
  | Refused<'HoldNotFound'>
  | Refused<'CheckoutBusy'>

export interface Checkout {
  /**
   * Pays for a hold and waits until the order is settled, however long the provider takes. `key` names
   * the intention, as with a hold. `waiting` hears of an order that is still being paid.
   */
  pay(
    input: { holdId: string; paymentMethod: string; email?: string; key?: string },
    waiting?: (order: Order) => void,
    signal?: AbortSignal,
  ): Promise<Paid>
  /** Waits for an order that is being paid already, as after a reload. */
  settled(orderId: string, waiting?: (order: Order) => void, signal?: AbortSignal): Promise<Paid>
}

interface Deps {
  client: Client
  live: Live
}

const ASK_EVERY_SECONDS = 2
// The provider is given longer than any other part: an order may wait for it.
const ANSWER_WITHIN_MS = 30_000
const WITHIN_MS = 120_000

export function createCheckout({ client, live }: Deps): Checkout {
  function settled(orderId: string, waiting?: (order: Order) => void, signal?: AbortSignal): Promise<Paid> {
    return new Promise((resolve, reject) => {
      const take = (order: Order) => {
        if (order.state === 'PAYING') return waiting?.(order)
        stop()
        resolve(outcome(order))
      }
      const stop = follow({
        live,
        operation: watchOrder,
        variables: () => ({ id: orderId }),
        next: (data) => take(data.orderUpdated),
        async ask(asked) {
          const { order } = await client.request(readOrder, { id: orderId }, { signal: asked })
          if (order) take(order)
          return ASK_EVERY_SECONDS
        },
        failed: reject,
      })
      signal?.addEventListener('abort', () => {
        stop()
        reject(signal.reason)
      })
    })
  }

  return {
    settled,
    async pay({ holdId, paymentMethod, email, key = randomId() }, waiting, signal) {
      const { checkout: result } = await client.request(
        checkout,
        { input: { holdId, paymentMethod, idempotencyKey: key, ...(email ? { email } : {}) } },
        { signal, withinMs: WITHIN_MS, answerWithinMs: ANSWER_WITHIN_MS },
      )
      if (result.__typename !== 'Order') return result
      if (result.state !== 'PAYING') return outcome(result)
      waiting?.(result)
      return settled(result.id, waiting, signal)
    },
  }
}

/** An order that was watched ends in a state; the mutation says the same as a refusal. */
function outcome(order: Order): Paid {
  if (order.state === 'DECLINED') return { __typename: 'PaymentDeclined', order }
  if (order.state === 'SEATS_GONE') return { __typename: 'SeatsGone', order }
  return order
}

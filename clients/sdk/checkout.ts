import {
  CheckoutDocument,
  OrderByIdDocument,
  OrdersDocument,
  OrderUpdatedDocument,
} from './generated/operations.ts'
import { randomId } from './session.ts'
import type { Connections } from './transport/connections.ts'
import { firstOf } from './transport/firstOf.ts'
import { subscribeOrPoll } from './transport/subscribeOrPoll.ts'
import type { Order, OrderOfEvent, Refused, Ticket } from './types.ts'

/** How a payment ended. An Order is CONFIRMED, or CANCELLED after that. */
export type PaymentOutcome =
  | Order
  | { __typename: 'PaymentDeclined'; order: Order }
  | { __typename: 'SeatsGone'; order: Order }
  | Refused<'HoldNotFound'>
  | Refused<'CheckoutBusy'>

export interface Checkout {
  /**
   * Pays for a hold and waits until the order is settled, however long the provider takes. `key` is the idempotency
   * key, as for a hold. `provider` is that of the payment method, from `Hold.payments`. `waiting` is called with an order that is still PAYING.
   */
  pay(
    input: {
      holdId: string
      paymentMethod: string
      provider?: string
      email?: string
      /** The language of mails and tickets, as a BCP 47 tag. Default: the browser's. */
      locale?: string
      key?: string
    },
    waiting?: (order: Order) => void,
    signal?: AbortSignal,
  ): Promise<PaymentOutcome>
  /** Waits for an order that is already PAYING, for example after a reload. */
  settled(orderId: string, waiting?: (order: Order) => void, signal?: AbortSignal): Promise<PaymentOutcome>
  /** Waits until the money of a confirmed order is captured, and returns its tickets: each has its barcode, or is void. */
  tickets(orderId: string, signal?: AbortSignal): Promise<Ticket[]>
  /** Returns the newest orders of the account, of all events; null without an account. */
  orders(): Promise<readonly OrderOfEvent[] | null>
  /**
   * Delivers an order and its changes until the returned function is called: a ticket has its barcode once the money is
   * captured, and loses it when it becomes void.
   */
  watch(orderId: string, next: (order: Order) => void, failed: (error: unknown) => void): () => void
}

const POLL_EVERY_SECONDS = 2
// Longer than for any other request: the answer may wait for the payment provider.
const ANSWER_WITHIN_MS = 30_000
const WITHIN_MS = 120_000

export function createCheckout({ client, socket }: Connections): Checkout {
  function watch(
    orderId: string,
    next: (order: Order) => void,
    failed: (error: unknown) => void,
  ): () => void {
    return subscribeOrPoll({
      socket,
      operation: OrderUpdatedDocument,
      variables: () => ({ id: orderId }),
      next: (data) => next(data.orderUpdated),
      async poll(pollSignal) {
        const { order } = await client.request(OrderByIdDocument, { id: orderId }, { signal: pollSignal })
        if (order) next(order)
        return POLL_EVERY_SECONDS
      },
      failed,
    })
  }

  function settled(
    orderId: string,
    waiting?: (order: Order) => void,
    signal?: AbortSignal,
  ): Promise<PaymentOutcome> {
    const pick = (order: Order) => {
      if (order.state !== 'PAYING') return outcome(order)
      waiting?.(order)
    }
    return firstOf((next, failed) => watch(orderId, next, failed), pick, signal)
  }

  return {
    settled,
    watch,
    tickets(orderId, signal) {
      const isReady = ({ barcode, voided }: Ticket) => barcode !== null || voided
      const pick = ({ tickets }: Order) => (tickets.every(isReady) ? tickets : undefined)
      return firstOf((next, failed) => watch(orderId, next, failed), pick, signal)
    },
    async orders() {
      const { viewer } = await client.request(OrdersDocument, {})
      return viewer?.orders.edges.map(({ node }) => node) ?? null
    },
    async pay({ holdId, paymentMethod, provider, email, locale, key = randomId() }, waiting, signal) {
      const { checkout: result } = await client.request(
        CheckoutDocument,
        {
          input: {
            holdId,
            paymentMethod,
            idempotencyKey: key,
            ...(provider ? { provider } : {}),
            ...(email ? { email } : {}),
            ...(locale ? { locale } : {}),
          },
        },
        { signal, withinMs: WITHIN_MS, answerWithinMs: ANSWER_WITHIN_MS },
      )
      if (result.__typename !== 'Order') return result
      if (result.state !== 'PAYING') return outcome(result)
      waiting?.(result)
      return settled(result.id, waiting, signal)
    },
  }
}

/** Translates the final state of a watched order into the refusal that the mutation returns for it. */
function outcome(order: Order): PaymentOutcome {
  if (order.state === 'DECLINED') return { __typename: 'PaymentDeclined', order }
  if (order.state === 'SEATS_GONE') return { __typename: 'SeatsGone', order }
  return order
}

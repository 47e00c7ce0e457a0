import { operation } from './operation.ts'
import type { Money, Reconciliation } from './schema.ts'

export const createEvent = operation<{ createEvent: { id: string; slug: string } }, { input: unknown }>(
  'mutation CreateEvent($input: CreateEventInput!) { createEvent(input: $input) { id slug } }',
  false,
)

export const readReconciliation = operation<{ reconciliation: Reconciliation }, { eventId: string }>(`
  query Reconciliation($eventId: ID!) {
    reconciliation(eventId: $eventId) {
      asOf ok capacity available held sold notForSale tickets ordersConfirmed ordersPaying
      captured { amount currency } findings { kind subject detail }
    }
  }`)

/** The progress of the refund of a called-off event. */
export interface EventRefund {
  readonly perSecond: number
  readonly finishedAt: string | null
  readonly refunded: number
  readonly left: number
  readonly refused: number
  readonly owed: Money
  readonly returned: Money
}

const EVENT_REFUND =
  'perSecond finishedAt refunded left refused owed { amount currency } returned { amount currency }'

export const refundEvent = operation<
  { refundEvent: EventRefund },
  { input: { eventId: string; reason: string; perSecond?: number } }
>(`mutation RefundEvent($input: RefundEventInput!) { refundEvent(input: $input) { ${EVENT_REFUND} } }`)

export const eventRefund = operation<{ eventRefund: EventRefund | null }, { eventId: string }>(
  `query EventRefund($eventId: ID!) { eventRefund(eventId: $eventId) { ${EVENT_REFUND} } }`,
)

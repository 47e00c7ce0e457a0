import { operation } from './operation.ts'
import type { Holder, HolderInput, Money, Reconciliation, ReleasedHolds } from './schema.ts'

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

export interface HolderPage {
  edges: { node: Holder }[]
  pageInfo: { hasNextPage: boolean; endCursor: string | null }
}

export const readHolders = operation<
  { holders: HolderPage },
  { eventId: string; first: number; after: string | null }
>(`
  query Holders($eventId: ID!, $first: Int, $after: String) {
    holders(eventId: $eventId, first: $first, after: $after) {
      edges {
        node {
          accountId seats holds holdsPaying heldSince heldUntil address addressSeats device deviceSeats holdsMade
          holdsUnpaid tickets
        }
      }
      pageInfo { hasNextPage endCursor }
    }
  }`)

export const releaseHolds = operation<
  { releaseHolds: ReleasedHolds },
  { input: { eventId: string; holder: HolderInput; reason: string } }
>(`
  mutation ReleaseHolds($input: ReleaseHoldsInput!) {
    releaseHolds(input: $input) { released seats inCheckout }
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

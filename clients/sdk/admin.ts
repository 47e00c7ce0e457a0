import {
  CreateEventDocument,
  EventRefundDocument,
  HoldersDocument,
  type HoldersQuery,
  ReconciliationDocument,
  RefundEventDocument,
  type RefundEventInput,
  ReleaseHoldsDocument,
  UpdateEventDocument,
  type UpdateEventInput,
} from './generated/operations.ts'
import type { Client } from './transport/client.ts'
import type {
  CreateEventInput,
  EventRefund,
  Holder,
  HolderInput,
  Reconciliation,
  ReleasedHolds,
} from './types.ts'

/**
 * Creates an event. Needs the role organizer. The request is sent once: after a lost answer the caller checks whether the event
 * exists.
 */
export async function createEvent(
  client: Client,
  input: CreateEventInput,
): Promise<{ id: string; slug: string }> {
  return (await client.request(CreateEventDocument, { input }, { answerWithinMs: 60_000 })).createEvent
}

/** Changes name, performers, venue and appearance of an event. Needs the role organizer of an owner, or ops. */
export async function updateEvent(client: Client, input: UpdateEventInput): Promise<void> {
  await client.request(UpdateEventDocument, { input })
}

/** Reconciles a sale with the database and the payment provider. Needs the role ops. */
export async function reconcile(client: Client, eventId: string): Promise<Reconciliation> {
  const data = await client.request(ReconciliationDocument, { eventId }, { answerWithinMs: 60_000 })
  return data.reconciliation
}

/**
 * Returns up to `most` accounts with live holds; those of the address or the device with the most held seats come first.
 * Needs the role ops.
 */
export async function readHolders(client: Client, eventId: string, most: number): Promise<Holder[]> {
  const found: Holder[] = []
  for (let after: string | null = null; ; ) {
    const first = Math.min(100, most - found.length)
    const page: HoldersQuery['holders'] = (await client.request(HoldersDocument, { eventId, first, after }))
      .holders
    found.push(...page.edges.map(({ node }) => node))
    after = page.pageInfo.endCursor
    if (!page.pageInfo.hasNextPage || found.length >= most) return found
  }
}

/** Releases the live holds of an account, an address or a device. Needs the role ops. */
export async function releaseHolds(
  client: Client,
  input: { eventId: string; holder: HolderInput; reason: string },
): Promise<ReleasedHolds> {
  const data = await client.request(ReleaseHoldsDocument, { input }, { answerWithinMs: 60_000 })
  return data.releaseHolds
}

/** Starts the refund of a called-off event, or changes its rate. Needs the role ops. */
export async function startEventRefund(client: Client, input: RefundEventInput): Promise<EventRefund> {
  return (await client.request(RefundEventDocument, { input })).refundEvent
}

/** The progress of the refund; null where the event was not called off. Needs the role ops. */
export async function readEventRefund(client: Client, eventId: string): Promise<EventRefund | null> {
  return (await client.request(EventRefundDocument, { eventId })).eventRefund
}

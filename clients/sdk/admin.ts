import * as operations from './adminOperations.ts'
import type { Client } from './client.ts'
import type { Holder, HolderInput, Reconciliation, ReleasedHolds } from './schema.ts'

/**
 * Creates an event; `input` is a CreateEventInput. Needs the role organizer. The request is sent once: after a lost
 * answer the caller checks whether the event exists.
 */
export async function createEvent(client: Client, input: unknown): Promise<{ id: string; slug: string }> {
  return (await client.request(operations.createEvent, { input }, { answerWithinMs: 60_000 })).createEvent
}

/** Reconciles a sale with the database and the payment provider. Needs the role ops. */
export async function reconcile(client: Client, eventId: string): Promise<Reconciliation> {
  const data = await client.request(operations.readReconciliation, { eventId }, { answerWithinMs: 60_000 })
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
    const page: operations.HolderPage = (
      await client.request(operations.readHolders, { eventId, first, after })
    ).holders
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
  return (await client.request(operations.releaseHolds, { input }, { answerWithinMs: 60_000 })).releaseHolds
}

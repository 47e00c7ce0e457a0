import * as operations from './adminOperations.ts'
import type { Client } from './client.ts'
import type { Reconciliation } from './schema.ts'

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

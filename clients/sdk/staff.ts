import type { Client } from './client.ts'
import type { Reconciliation } from './schema.ts'
import * as operations from './staffOperations.ts'

/** `input`: a CreateEventInput. Role organizer. Sent once: who gets no answer looks whether the event is there. */
export async function createEvent(client: Client, input: unknown): Promise<{ id: string; slug: string }> {
  return (await client.request(operations.createEvent, { input }, { answerWithinMs: 60_000 })).createEvent
}

/** Proves, from the database and the payment provider, that the sale adds up. Role ops. */
export async function reconcile(client: Client, eventId: string): Promise<Reconciliation> {
  const data = await client.request(operations.readReconciliation, { eventId }, { answerWithinMs: 60_000 })
  return data.reconciliation
}

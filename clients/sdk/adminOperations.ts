import { operation } from './operation.ts'
import type { Reconciliation } from './schema.ts'

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

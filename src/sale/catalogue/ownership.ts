import type { Database } from '../../sql/database/database.ts'
import { isEventOwner } from '../../sql/events/eventOwners.ts'
import type { Account } from '../caller.ts'
import type { Catalogue, CatalogueEvent } from './catalogue.ts'

/**
 * Returns the event if this account may change it: its owners may, and ops. Null for every other event, as for an event that
 * does not exist. Every mutation of an event by an organizer or ops goes through this check.
 */
export async function changeableEvent(
  { db, catalogue }: { db: Database; catalogue: Catalogue },
  { id, roles }: Account,
  eventId: string,
): Promise<CatalogueEvent | null> {
  const event = await catalogue.event(eventId)
  if (!event) return null
  const mayChange = roles.has('ops') || (roles.has('organizer') && (await isEventOwner(db, event.id, id)))
  return mayChange ? event : null
}

import type { App } from '../../app.ts'
import type { CatalogueEvent, CatalogueSection } from '../../sale/catalogue/catalogue.ts'
import { badInput, type Fault } from '../../sale/faults.ts'

/** Returns BAD_USER_INPUT for an id that does not exist or belongs to another account: the two look the same. */
export function notFound(what: string, ...path: string[]): Fault {
  return badInput({ path, message: `there is no such ${what}` })
}

/** Returns an event and its section by id or key. Throws BAD_USER_INPUT where either does not exist. */
export async function requireSection(
  { catalogue }: Pick<App, 'catalogue'>,
  eventId: string,
  sectionId: string,
): Promise<{ event: CatalogueEvent; section: CatalogueSection }> {
  const event = await catalogue.event(eventId)
  if (!event) throw notFound('event', 'eventId')
  const section = event.section(sectionId)
  if (!section) throw notFound('section', 'sectionId')
  return { event, section }
}

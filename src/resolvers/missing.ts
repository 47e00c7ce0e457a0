import type { App } from '../app.ts'
import type { CatalogueEvent, CatalogueSection } from '../sale/catalogue/catalogue.ts'
import { badInput, type Fault } from '../sale/faults.ts'

/** BAD_USER_INPUT for an id that names nothing, or nothing of the caller's: the two look the same. */
export function noSuch(what: string, ...path: string[]): Fault {
  return badInput({ path, message: `there is no such ${what}` })
}

/** The event that an argument names, and a section of it by id or key; refuses what does not exist. */
export async function namedSection(
  { catalogue }: Pick<App, 'catalogue'>,
  eventId: string,
  sectionId: string,
): Promise<{ event: CatalogueEvent; section: CatalogueSection }> {
  const event = await catalogue.event(eventId)
  if (!event) throw noSuch('event', 'eventId')
  const section = event.section(sectionId)
  if (!section) throw noSuch('section', 'sectionId')
  return { event, section }
}

import type { DetailsChange } from '../../sql/events/eventDetails.ts'
import { createInputFaults, type Path } from '../inputFaults.ts'
import { type AppearanceInput, readAppearance } from './appearance.ts'
import { readPerformers } from './eventInput.ts'

/** The input of `updateEvent`. A field that is left out, or null, stays as it is; a null city or appearance field is removed. */
export interface EventUpdate {
  eventId: string
  name?: string | null
  performers?: readonly string[] | null
  venue?: { name?: string | null; city?: string | null } | null
  appearance?: AppearanceInput | null
}

/** Checks the change of an event, by the rules of its creation. Throws BAD_USER_INPUT with every fault at its path. */
export function readDetailsChange({ name, performers, venue, appearance }: EventUpdate): DetailsChange {
  const faults = createInputFaults()
  const at = (...path: Path) => ['input', ...path]
  const looks = readAppearance(appearance, at('appearance'), faults)
  const change: DetailsChange = {
    ...(name != null && { name: faults.text(at('name'), name) }),
    ...(performers && { performers: readPerformers(performers, faults) }),
    ...(venue?.name != null && { venueName: faults.text(at('venue', 'name'), venue.name) }),
    ...(venue?.city !== undefined && {
      venueCity: venue.city === null ? null : faults.text(at('venue', 'city'), venue.city),
    }),
    ...(appearance &&
      looks && {
        appearance: Object.fromEntries(
          Object.entries(looks).filter(([field]) => appearance[field as keyof AppearanceInput] !== undefined),
        ),
      }),
  }
  faults.throwAny()
  return change
}

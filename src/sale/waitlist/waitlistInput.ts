import type { Wish } from '../../sql/waitlist.ts'
import type { CatalogueEvent } from '../catalogue/catalogue.ts'
import { levelOf } from '../holds/holdInput.ts'
import { createInputFaults, type InputFaults, type Path } from '../inputFaults.ts'
import { RANGES } from '../numberRanges.ts'

/** A part of the plan: ids, or keys of sections; null for anywhere. */
export interface PartInput {
  sectionId?: string | null
  priceLevelId?: string | null
}

export interface WaitlistInput extends PartInput {
  eventId: string
  quantity: number
  /** The parts of the plan that the fan takes where nothing comes back in the first, in order. */
  orElse?: readonly PartInput[] | null
  /** Side by side in one row only. Default: where such a block comes back, else in as few pieces as possible. */
  together?: boolean | null
  /** How many of the quantity are wheelchair seats; the others are companion seats of these. Default: 0, usual seats. */
  wheelchairSeats?: number | null
  acceptFewer?: boolean | null
}

export interface CheckedWish {
  quantity: number
  /** With the path of each one's fields in the input. */
  wishes: readonly (Wish & { readonly path: Path })[]
  together: boolean | null
  wheelchairSeats: number
  acceptFewer: boolean
}

const MAX_ALTERNATIVES = 9

/** Returns the input in the plan's numbers. Throws BAD_USER_INPUT with every fault. */
export function checkWaitlistInput(
  event: CatalogueEvent | null,
  ticketLimit: number,
  input: WaitlistInput,
): CheckedWish & { event: CatalogueEvent } {
  const faults = createInputFaults()
  if (!event) faults.add(['input', 'eventId'], 'is not the id of an event')
  faults.throwAny()
  const found = event as CatalogueEvent
  const quantity = faults.number(['input', 'quantity'], input.quantity, {
    ...RANGES.ticketLimit,
    max: ticketLimit,
  })
  const wheelchairSeats = faults.number(
    ['input', 'wheelchairSeats'],
    input.wheelchairSeats ?? 0,
    RANGES.wheelchairSeats,
  )
  if (faults.count === 0 && wheelchairSeats > quantity)
    faults.add(['input', 'wheelchairSeats'], 'is more than quantity, which counts them too')
  const orElse = input.orElse ?? []
  if (orElse.length > MAX_ALTERNATIVES)
    faults.add(['input', 'orElse'], `must have at most ${MAX_ALTERNATIVES} alternatives`)
  const parts = [
    { part: input as PartInput, path: ['input'] as Path },
    ...orElse.slice(0, MAX_ALTERNATIVES).map((part, i) => ({ part, path: ['input', 'orElse', i] as Path })),
  ]
  const wishes = parts.map(({ part, path }) => ({ ...readPart(found, part, path, faults), path }))
  faults.throwAny()
  return {
    event: found,
    quantity,
    wishes,
    together: input.together ?? null,
    wheelchairSeats,
    acceptFewer: input.acceptFewer ?? false,
  }
}

function readPart(
  event: CatalogueEvent,
  { sectionId, priceLevelId }: PartInput,
  path: Path,
  faults: InputFaults,
): Wish {
  const section = sectionId == null ? null : event.section(sectionId)
  if (section === undefined) faults.add([...path, 'sectionId'], 'is not a section of this event')
  const levelNo =
    priceLevelId == null ? null : levelOf(event, section ? [section] : event.sections, priceLevelId)
  if (levelNo === undefined) {
    faults.add(
      [...path, 'priceLevelId'],
      section ? 'is not a price level of this section' : 'is not a price level of this event',
    )
  }
  return { sectionNo: section?.no ?? null, levelNo: levelNo ?? null }
}

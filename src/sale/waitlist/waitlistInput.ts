import type { CatalogueEvent } from '../catalogue/catalogue.ts'
import { levelOf } from '../holds/holdInput.ts'
import { createInputFaults } from '../inputFaults.ts'
import { RANGES } from '../numberRanges.ts'

export interface WaitlistInput {
  eventId: string
  quantity: number
  /** Id or key; null for anywhere. */
  sectionId?: string | null
  priceLevelId?: string | null
  acceptFewer?: boolean | null
}

export interface Wish {
  event: CatalogueEvent
  quantity: number
  sectionNo: number | null
  levelNo: number | null
  acceptFewer: boolean
}

/** Returns the input in the plan's numbers. Throws BAD_USER_INPUT with every fault. */
export function checkWaitlistInput(
  event: CatalogueEvent | null,
  ticketLimit: number,
  { quantity, sectionId, priceLevelId, acceptFewer }: WaitlistInput,
): Wish {
  const faults = createInputFaults()
  if (!event) faults.add(['input', 'eventId'], 'is not the id of an event')
  faults.throwAny()
  const found = event as CatalogueEvent
  faults.number(['input', 'quantity'], quantity, { ...RANGES.ticketLimit, max: ticketLimit })
  const section = sectionId == null ? null : found.section(sectionId)
  if (section === undefined) faults.add(['input', 'sectionId'], 'is not a section of this event')
  const levelNo =
    priceLevelId == null ? null : levelOf(found, section ? [section] : found.sections, priceLevelId)
  if (levelNo === undefined) {
    faults.add(
      ['input', 'priceLevelId'],
      section ? 'is not a price level of this section' : 'is not a price level of this event',
    )
  }
  faults.throwAny()
  return {
    event: found,
    quantity,
    sectionNo: section?.no ?? null,
    levelNo: levelNo ?? null,
    acceptFewer: acceptFewer ?? false,
  }
}

import type { NewEvent } from '../../sql/events/eventRows.ts'
import { isSlug } from '../ids.ts'
import type { InputFaults, Path } from '../inputFaults.ts'
import { RANGES } from '../numberRanges.ts'
import type { BestSeats } from '../plan/bestSeats.ts'
import { type Area, type NumberedPlan, numberPlan } from '../plan/numberedPlan.ts'
import { MOST_SEATS, readSeatingPlan } from '../plan/readSeatingPlan.ts'
import type { SeatingPlan } from '../plan/seatingPlan.ts'
import { type AppearanceInput, readAppearance } from './appearance.ts'
import { isCurrency } from './currencies.ts'
import { type PriceInput, readLevels, readOffSale } from './priceInput.ts'
import { type RoomSettings, readSale, type SaleInput } from './saleInput.ts'
import { canonicalTimeZone } from './timeZones.ts'

/** The input of `createEvent`. A field with a default may also be null. */
export interface EventInput {
  slug: string
  name: string
  performers?: readonly string[] | null
  appearance?: AppearanceInput | null
  startsAt: Date
  timeZone: string
  venue: { name: string; city?: string | null; latitude?: number | null; longitude?: number | null }
  /** The plan, or the text of its file. */
  seatingPlan?: unknown
  generalAdmission?: readonly AreaInput[] | null
  prices: readonly PriceInput[]
  /** Categories of the plan whose seats are not for sale. */
  notForSale?: readonly string[] | null
  bestSeats?: BestSeatsInput | null
  currency: string
  sale: SaleInput
}

export interface BestSeatsInput {
  near?: { x: number; y: number } | null
  categories?: readonly string[] | null
}

export interface AreaInput {
  key: string
  name: string
  capacity: number
  outline?: readonly { x: number; y: number }[] | null
}

const MOST_AREAS = 200
const MOST_PERFORMERS = 100
const MOST_OUTLINE_POINTS = 1_000

/** Checks and converts the input of `createEvent`. The result is complete only if no fault was added. */
export function readEventInput(
  input: EventInput,
  eventId: string,
  faults: InputFaults,
): NewEvent & RoomSettings {
  const plan =
    input.seatingPlan == null ? null : readSeatingPlan(input.seatingPlan, at('seatingPlan'), faults)
  const areas = readAreas(input.generalAdmission ?? [], plan, faults)
  if (input.seatingPlan == null && areas.length === 0)
    faults.add(['input'], 'needs a seatingPlan, generalAdmission areas, or both')
  const capacity = sum(plan?.sections.map(({ seats }) => seats.length)) + sum(areas.map((a) => a.capacity))
  if (capacity > MOST_SEATS)
    faults.add(
      at('generalAdmission'),
      `makes ${capacity} seats and units; one event can sell at most ${MOST_SEATS}`,
    )

  // An unreadable plan does not show which prices it needs.
  const isUnread = input.seatingPlan != null && plan === null
  const offSale = readOffSale(input.notForSale ?? [], plan, faults)
  const best = readBestSeats(input.bestSeats, plan, faults)
  const { drawn, focus, ...numbered } =
    capacity > MOST_SEATS ? NOTHING : numberPlan(eventId, plan, areas, { best, offSale })
  return {
    event: { ...readEvent(input, eventId, plan, faults), areas: drawn, focus },
    appearance: readAppearance(input.appearance, at('appearance'), faults),
    ...numbered,
    levels: isUnread ? [] : readLevels(input.prices, plan, areas, offSale, faults),
    ...readSale(input.sale, capacity, input.startsAt, faults),
  }
}

const NOTHING: NumberedPlan = { sections: [], seats: [], drawn: [], focus: null }

function readBestSeats(
  input: BestSeatsInput | null | undefined,
  plan: SeatingPlan | null,
  faults: InputFaults,
): BestSeats | null {
  if (!input) return null
  const { near, categories } = input
  for (const [i, key] of (categories ?? []).entries())
    if (plan && !plan.categories.some((category) => category.key === key))
      faults.add(at('bestSeats', 'categories', i), `"${key}" is no category of the plan`)
  const read = (axis: 'x' | 'y', value: number) =>
    faults.number(at('bestSeats', 'near', axis), value, RANGES.planCoordinate)
  return { near: near ? { x: read('x', near.x), y: read('y', near.y) } : null, categories: categories ?? [] }
}

function at(...path: Path): Path {
  return ['input', ...path]
}

function sum(numbers: readonly number[] = []): number {
  return numbers.reduce((total, n) => total + n, 0)
}

function readEvent(input: EventInput, id: string, plan: SeatingPlan | null, faults: InputFaults) {
  const { venue } = input
  if (!isSlug(input.slug))
    faults.add(at('slug'), 'must be 1 to 64 of a-z, 0-9 and hyphens, with no hyphen at either end')
  const timeZone = canonicalTimeZone(input.timeZone)
  if (timeZone === null)
    faults.add(at('timeZone'), 'must be a name of the IANA time zone database, such as Europe/Berlin')
  if (!isCurrency(input.currency)) faults.add(at('currency'), 'must be an ISO 4217 code, such as EUR')
  if ((venue.latitude == null) !== (venue.longitude == null))
    faults.add(at('venue'), 'needs both latitude and longitude, or neither')
  return {
    id,
    slug: input.slug,
    name: faults.text(at('name'), input.name),
    performers: readPerformers(input.performers ?? [], faults),
    venueName: faults.text(at('venue', 'name'), venue.name),
    venueCity: venue.city == null ? null : faults.text(at('venue', 'city'), venue.city),
    latitude:
      venue.latitude == null ? null : faults.number(at('venue', 'latitude'), venue.latitude, RANGES.latitude),
    longitude:
      venue.longitude == null
        ? null
        : faults.number(at('venue', 'longitude'), venue.longitude, RANGES.longitude),
    startsAt: faults.instant(at('startsAt'), input.startsAt),
    timeZone: timeZone ?? '',
    planWidth: plan?.width ?? null,
    planHeight: plan?.height ?? null,
    currency: input.currency,
  }
}

/** Checks the performers of an event. */
export function readPerformers(performers: readonly string[], faults: InputFaults): string[] {
  if (performers.length > MOST_PERFORMERS) faults.add(at('performers'), `must be at most ${MOST_PERFORMERS}`)
  return performers
    .slice(0, MOST_PERFORMERS)
    .map((performer, i) => faults.text(at('performers', i), performer))
}

function readAreas(given: readonly AreaInput[], plan: SeatingPlan | null, faults: InputFaults): Area[] {
  if (given.length > MOST_AREAS) {
    faults.add(at('generalAdmission'), `has ${given.length} areas; an event can have at most ${MOST_AREAS}`)
    return []
  }
  const taken = new Map<string, string>([
    ...(plan?.categories.map(({ key }) => [key, 'a category of the plan'] as const) ?? []),
    ...(plan?.sections.map(({ key }) => [key, 'a zone of the plan'] as const) ?? []),
  ])
  return given.map((area, i) => {
    const path = at('generalAdmission', i)
    const key = faults.text([...path, 'key'], area.key)
    const owner = taken.get(key)
    if (owner) faults.add([...path, 'key'], `is the name of ${owner} too`)
    if (key !== '') taken.set(key, 'another area')
    const outline = area.outline ?? []
    if (outline.length > MOST_OUTLINE_POINTS)
      faults.add([...path, 'outline'], `must have at most ${MOST_OUTLINE_POINTS} points`)
    return {
      key,
      name: faults.text([...path, 'name'], area.name),
      capacity: faults.number([...path, 'capacity'], area.capacity, RANGES.capacity),
      outline: outline.slice(0, MOST_OUTLINE_POINTS).map(({ x, y }, n) => ({
        x: faults.number([...path, 'outline', n, 'x'], x, RANGES.planCoordinate),
        y: faults.number([...path, 'outline', n, 'y'], y, RANGES.planCoordinate),
      })),
    }
  })
}

import { createJsonShape } from '../../jsonShape.ts'
import type { FaultChecks, InputFaults, Path } from '../inputFaults.ts'
import { RANGES } from '../numberRanges.ts'
import { withDistinctNames } from './distinctNames.ts'
import { createAreaReader } from './planAreas.ts'
import { createPlanFaults } from './planFaults.ts'
import { asText, isObject, readColor, readList, readName } from './planValues.ts'
import { createZoneReader } from './planZones.ts'
import type { PlanArea, PlanCategory, PlanSection, SeatingPlan } from './seatingPlan.ts'

/** The most seats that one event may sell. The largest stadiums have some 110,000 seats. */
export const MOST_SEATS = RANGES.capacity.max
const MOST_SECTIONS = 2_000
const MOST_CATEGORIES = 200

/**
 * Reads a seating plan in the open format that pretix publishes (its seating-plan.schema.json): zones, rows,
 * seats, areas, categories. Takes the value, the text of its file, or an answer of pretix's API with the plan in its
 * `layout`. Returns null where there is no plan to read.
 *
 * Real plans deviate from the format. The function accepts keys that the format does not define, fractions as
 * positions, and numbers as names. A zone or row without a position is at the origin. A zone without a name, or
 * with a name that is used, gets a key of its own. A zone without seats (a stage, a bar) makes no section. Rows and
 * zones whose seats would read alike get distinct names. A mistake that would sell a wrong seat is a fault. The
 * faults of one kind are reported once, with the path of the first.
 */
export function readSeatingPlan(given: unknown, path: Path, faults: InputFaults): SeatingPlan | null {
  const found = createPlanFaults()
  const plan = readPlan(given, path, found)
  found.reportTo(faults)
  return plan
}

/** Some tens of milliseconds of reading, and of laying out. */
const LARGE = { characters: 50_000, seats: 500 }

/** True for a plan that takes longer to read than a process that serves may block. It reads and checks nothing. */
export function isLargePlan(given: unknown): boolean {
  if (typeof given === 'string') return given.length > LARGE.characters
  if (!isObject(given)) return false
  if (given.zones === undefined) return isLargePlan(given.layout)
  return Array.isArray(given.zones) && countSeats(given.zones) > LARGE.seats
}

function readPlan(given: unknown, path: Path, faults: FaultChecks): SeatingPlan | null {
  const plan = typeof given === 'string' ? parse(given, path, faults) : given
  if (!isObject(plan)) {
    if (plan !== undefined) faults.add(path, 'must be a seating plan: an object with zones and categories')
    return null
  }
  if (plan.zones === undefined && plan.layout != null)
    return readPlan(plan.layout, [...path, 'layout'], faults)
  const zones = readList(plan.zones, [...path, 'zones'], faults)
  const seats = countSeats(zones)
  if (seats === 0) faults.add(path, 'has no seats')
  if (seats > MOST_SEATS) faults.add(path, `has ${seats} seats; one event can sell at most ${MOST_SEATS}`)
  if (zones.length > MOST_SECTIONS)
    faults.add([...path, 'zones'], `has ${zones.length} zones; at most ${MOST_SECTIONS} can be shown`)
  if (seats === 0 || seats > MOST_SEATS || zones.length > MOST_SECTIONS) return null

  const categories = readCategories(plan.categories, [...path, 'categories'], faults)
  return {
    ...readSize(plan.size, [...path, 'size'], faults),
    categories,
    ...readZones(zones, [...path, 'zones'], categories, faults),
  }
}

function parse(text: string, path: Path, faults: FaultChecks): unknown {
  const fault = createJsonShape().read(text)
  if (fault !== null) {
    faults.add(path, fault)
    return undefined
  }
  try {
    // Editors for Windows begin a file with a byte order mark.
    return JSON.parse(text.replace(/^\ufeff/, ''))
  } catch {
    faults.add(path, 'is not JSON')
    return undefined
  }
}

/** Counts the seats first, so that a plan that is far too large is refused before it is read. */
function countSeats(zones: readonly unknown[]): number {
  let count = 0
  for (const zone of zones)
    for (const row of isObject(zone) && Array.isArray(zone.rows) ? zone.rows : [])
      if (isObject(row) && Array.isArray(row.seats)) count += row.seats.length
  return count
}

function readSize(size: unknown, path: Path, faults: FaultChecks) {
  if (size == null) return { width: null, height: null }
  if (!isObject(size)) {
    faults.add(path, 'must be an object with width and height')
    return { width: null, height: null }
  }
  return {
    width: faults.number([...path, 'width'], size.width, RANGES.planSize),
    height: faults.number([...path, 'height'], size.height, RANGES.planSize),
  }
}

function readCategories(value: unknown, path: Path, faults: FaultChecks): PlanCategory[] {
  const given = readList(value, path, faults)
  if (given.length > MOST_CATEGORIES) {
    faults.add(path, `has ${given.length} categories; an event can have at most ${MOST_CATEGORIES}`)
    return []
  }
  const categories = new Map<string, PlanCategory>()
  for (const [i, category] of given.entries()) {
    const at = [...path, i]
    if (!isObject(category)) {
      faults.add(at, 'must be an object with a name')
      continue
    }
    const key = faults.text([...at, 'name'], asText(category.name))
    const name = readName(category.label, [...at, 'label'], faults) || key
    const color = readColor(category.color, [...at, 'color'], faults)
    if (categories.has(key)) faults.add([...at, 'name'], `"${key}" is the name of another category too`)
    else if (key !== '') categories.set(key, { key, name, color })
  }
  return [...categories.values()]
}

function readZones(zones: readonly unknown[], path: Path, categories: PlanCategory[], faults: FaultChecks) {
  const readZone = createZoneReader(categories, faults)
  const readAreas = createAreaReader(faults)
  const keys = new Set<string>()
  const sections: PlanSection[] = []
  const areas: PlanArea[] = []
  for (const [i, zone] of zones.entries()) {
    const at = [...path, i]
    if (!isObject(zone)) {
      faults.add(at, 'must be an object with rows')
      continue
    }
    const name = readName(zone.name, [...at, 'name'], faults) || `Zone ${i + 1}`
    const read = readZone(zone, at, name)
    const key = read.seats.length > 0 ? unusedKey(name, keys) : null
    if (key !== null) {
      keys.add(key)
      sections.push({ key, name, ...read })
    }
    areas.push(...readAreas(zone, at, key))
  }
  readZone.reportNames()
  return { sections: withDistinctNames(sections), areas }
}

function unusedKey(name: string, used: ReadonlySet<string>): string {
  let key = name
  for (let n = 2; used.has(key); n++) key = `${name} (${n})`
  return key
}

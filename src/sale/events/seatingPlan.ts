import { createJsonShape } from '../../jsonShape.ts'
import type { InputFaults, Path } from '../inputFaults.ts'
import { RANGES } from '../numberRanges.ts'

/** A plan that has been read: sections of seats at absolute coordinates. */
export interface SeatingPlan {
  readonly width: number | null
  readonly height: number | null
  readonly categories: readonly PlanCategory[]
  readonly sections: readonly PlanSection[]
}

export interface PlanCategory {
  readonly name: string
  readonly color: string | null
}

export interface PlanSection {
  /** Unique within the plan. */
  readonly key: string
  readonly name: string
  readonly seats: readonly PlanSeat[]
}

export interface PlanSeat {
  /** The plan's own id, unique within the plan. */
  readonly key: string
  readonly row: string
  /** Index of the row in the plan's list of the section's rows, from 0. */
  readonly planRow: number
  readonly number: string
  /** Plan units from the top left: the sum of the offsets of zone, row and seat. */
  readonly x: number
  readonly y: number
  /** Index into the plan's categories. */
  readonly category: number
  readonly wheelchair: boolean
  /** For a companion seat: the key of its wheelchair seat, in the same section. */
  readonly companionOf: string | null
}

/** The most seats that one event may sell. The largest stadiums have some 110,000 seats. */
export const MOST_SEATS = RANGES.capacity.max
const MOST_SECTIONS = 2_000
const MOST_CATEGORIES = 200

/**
 * Reads a seating plan in the open format that pretix publishes (its seating-plan.schema.json): zones, rows,
 * seats, categories. Takes the value, or the text of its file. Returns null where there is no plan to read.
 *
 * Real plans deviate from the format. The function accepts keys that the format does not define, fractions as
 * positions, and numbers as names. A zone or row without a position is at the origin. A zone without a name, or
 * with a name that is used, gets a key of its own. A zone without seats (a stage, a bar) is left out. A mistake
 * that would sell a wrong seat is a fault at its path.
 */
export function readSeatingPlan(given: unknown, path: Path, faults: InputFaults): SeatingPlan | null {
  const plan = typeof given === 'string' ? parse(given, path, faults) : given
  if (!isObject(plan)) {
    if (plan !== undefined) faults.add(path, 'must be a seating plan: an object with zones and categories')
    return null
  }
  const zones = list(plan.zones, [...path, 'zones'], faults)
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
    sections: readZones(zones, [...path, 'zones'], categories, faults),
  }
}

function parse(text: string, path: Path, faults: InputFaults): unknown {
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

function readSize(size: unknown, path: Path, faults: InputFaults) {
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

function readCategories(value: unknown, path: Path, faults: InputFaults): PlanCategory[] {
  const given = list(value, path, faults)
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
    const name = faults.text([...at, 'name'], label(category.name))
    const color = readColor(category.color, [...at, 'color'], faults)
    if (categories.has(name)) faults.add([...at, 'name'], 'is the name of another category too')
    else if (name !== '') categories.set(name, { name, color })
  }
  return [...categories.values()]
}

/** A colour becomes part of a page's style, so only these forms are safe. */
const COLOR = /^(?:#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})|[a-z]{3,30})$/i

function readColor(value: unknown, path: Path, faults: InputFaults): string | null {
  if (value == null || value === '') return null
  if (typeof value === 'string' && COLOR.test(value)) return value
  faults.add(path, 'must be a colour of CSS: #rrggbb, or a name')
  return null
}

function readZones(zones: readonly unknown[], path: Path, categories: PlanCategory[], faults: InputFaults) {
  const reader = createSeatReader(categories, faults)
  const keys = new Set<string>()
  const sections: PlanSection[] = []
  for (const [i, zone] of zones.entries()) {
    const at = [...path, i]
    if (!isObject(zone)) {
      faults.add(at, 'must be an object with rows')
      continue
    }
    const name = readName(zone.name, [...at, 'name'], faults) || `Zone ${i + 1}`
    const seats = readRows(zone, at, reader, faults)
    if (seats.length === 0) continue
    const key = unusedKey(name, keys)
    keys.add(key)
    sections.push({ key, name, seats })
  }
  return sections
}

function readRows(
  zone: Record<string, unknown>,
  path: Path,
  readSeat: SeatReader,
  faults: InputFaults,
): PlanSeat[] {
  const origin = readPosition(zone.position, [...path, 'position'], faults)
  const seats: PlanSeat[] = []
  for (const [i, row] of list(zone.rows, [...path, 'rows'], faults).entries()) {
    const at = [...path, 'rows', i]
    if (!isObject(row)) {
      faults.add(at, 'must be an object with seats')
      continue
    }
    const name = readName(row.row_number, [...at, 'row_number'], faults)
    const offset = readPosition(row.position, [...at, 'position'], faults)
    const start = { x: origin.x + offset.x, y: origin.y + offset.y }
    for (const [n, seat] of list(row.seats, [...at, 'seats'], faults).entries())
      seats.push(readSeat(seat, [...at, 'seats', n], { name, index: i, ...start }))
  }
  checkCompanions(zone, path, seats, faults)
  return seats
}

/** `companion_of` is an extension of ours: the format has wheelchair seats, but no companion seats. */
function checkCompanions(zone: Record<string, unknown>, path: Path, seats: PlanSeat[], faults: InputFaults) {
  if (seats.every(({ companionOf }) => companionOf === null)) return
  const byKey = new Map(seats.map((seat) => [seat.key, seat]))
  let next = 0
  for (const [i, row] of (zone.rows as unknown[]).entries()) {
    const listed = isObject(row) && Array.isArray(row.seats) ? row.seats : []
    for (const n of listed.keys()) {
      const seat = seats[next++]
      if (seat?.companionOf == null) continue
      const at = [...path, 'rows', i, 'seats', n, 'companion_of']
      const wheelchairSeat = byKey.get(seat.companionOf)
      if (seat.wheelchair) faults.add(at, 'a wheelchair seat cannot be a companion seat')
      else if (!wheelchairSeat) faults.add(at, `"${seat.companionOf}" is no seat of this zone`)
      else if (!wheelchairSeat.wheelchair)
        faults.add(at, `"${seat.companionOf}" is no wheelchair seat: it needs "wheelchair": true`)
    }
  }
}

type SeatReader = (
  seat: unknown,
  path: Path,
  row: { name: string; index: number; x: number; y: number },
) => PlanSeat

const NO_SEAT: PlanSeat = {
  key: '',
  row: '',
  planRow: 0,
  number: '',
  x: 0,
  y: 0,
  category: 0,
  wheelchair: false,
  companionOf: null,
}

function createSeatReader(categories: PlanCategory[], faults: InputFaults): SeatReader {
  const categoryByName = new Map(categories.map(({ name }, i) => [name, i]))
  const pathByKey = new Map<string, Path>()

  return (seat, path, row) => {
    if (!isObject(seat)) {
      faults.add(path, 'must be an object with seat_guid, position and category')
      return NO_SEAT
    }
    const key = faults.text([...path, 'seat_guid'], label(seat.seat_guid))
    const other = pathByKey.get(key)
    if (other) faults.add([...path, 'seat_guid'], `is the id of another seat too, at ${other.join('.')}`)
    else if (key !== '') pathByKey.set(key, path)

    if (seat.position == null) faults.add([...path, 'position'], 'is missing: a seat needs a position')
    const { x, y } = readPosition(seat.position, [...path, 'position'], faults)

    const category = faults.text([...path, 'category'], label(seat.category))
    const index = categoryByName.get(category)
    if (index === undefined && category !== '')
      faults.add([...path, 'category'], `"${category}" is none of the plan's categories`)
    return {
      key,
      row: row.name,
      planRow: row.index,
      number: readName(seat.seat_number, [...path, 'seat_number'], faults),
      x: row.x + x,
      y: row.y + y,
      category: index ?? 0,
      wheelchair: seat.wheelchair === true,
      companionOf:
        seat.companion_of == null
          ? null
          : faults.text([...path, 'companion_of'], label(seat.companion_of)) || null,
    }
  }
}

function readPosition(value: unknown, path: Path, faults: InputFaults): { x: number; y: number } {
  if (value == null) return { x: 0, y: 0 }
  if (!isObject(value)) {
    faults.add(path, 'must be an object with x and y')
    return { x: 0, y: 0 }
  }
  return {
    x: faults.number([...path, 'x'], value.x, RANGES.planCoordinate),
    y: faults.number([...path, 'y'], value.y, RANGES.planCoordinate),
  }
}

/** Reads an optional name. */
function readName(value: unknown, path: Path, faults: InputFaults): string {
  return value == null ? '' : faults.text(path, label(value), 'optional')
}

function list(value: unknown, path: Path, faults: InputFaults): unknown[] {
  if (Array.isArray(value)) return value
  if (value != null) faults.add(path, 'must be a list')
  return []
}

/** Converts a number to a text: some plans use numbers as the names of rows, seats and categories. */
function label(value: unknown): unknown {
  return typeof value === 'number' ? String(value) : value
}

function unusedKey(name: string, used: ReadonlySet<string>): string {
  let key = name
  for (let n = 2; used.has(key); n++) key = `${name} (${n})`
  return key
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

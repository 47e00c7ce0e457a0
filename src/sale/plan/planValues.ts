import type { FaultChecks, Path } from '../inputFaults.ts'
import { RANGES } from '../numberRanges.ts'
import type { PlanPoint } from './seatingPlan.ts'

/*
 * The values that every part of a seating plan has.
 */

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Reads an optional list. */
export function readList(value: unknown, path: Path, faults: FaultChecks): unknown[] {
  if (Array.isArray(value)) return value
  if (value != null) faults.add(path, 'must be a list')
  return []
}

/** Reads an optional position; without one, the origin. */
export function readPosition(value: unknown, path: Path, faults: FaultChecks): PlanPoint {
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

/** Reads an optional name; without one, ''. */
export function readName(value: unknown, path: Path, faults: FaultChecks): string {
  return value == null ? '' : faults.text(path, asText(value), 'optional')
}

/** Converts a number to a text: some plans use numbers as the names of rows, seats and categories. */
export function asText(value: unknown): unknown {
  return typeof value === 'number' ? String(value) : value
}

/** A colour becomes part of a page's style, so only these forms are safe. */
const COLOR =
  /^(?:#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})|[a-z]{3,30}|(?:rgb|hsl)a?\([\d\s.,%/]{5,40}\))$/i

/** Reads an optional colour. */
export function readColor(value: unknown, path: Path, faults: FaultChecks): string | null {
  if (value == null || value === '') return null
  if (typeof value === 'string' && COLOR.test(value)) return value
  faults.add(path, 'must be a colour of CSS: #rrggbb, rgb(…) or a name')
  return null
}

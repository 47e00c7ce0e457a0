import { badInput } from './faults.ts'
import { createInputFaults } from './inputFaults.ts'
import { RANGES } from './numberRanges.ts'
import { isStorable, isStorableInstant } from './storable.ts'

/** A page of a list that is read forward, in the shape of the API's connections. */
export interface Page<T> {
  readonly edges: readonly { readonly cursor: string; readonly node: T }[]
  readonly hasNextPage: boolean
  readonly hasPreviousPage: boolean
}

/** The requested page: the `first` entries after the cursor `after`. */
export interface PageRequest {
  readonly first: number
  readonly after?: string | null
}

/**
 * Returns a page of rows. `rows` has one row more than requested: it shows whether another page follows.
 * `keyOf` returns the row's sort key, whose parts make up the row's cursor.
 */
export function toPage<Row, Node = Row>(
  rows: readonly Row[],
  { first, after }: PageRequest,
  keyOf: (row: Row) => readonly string[],
  toNode: (row: Row) => Node = (row) => row as unknown as Node,
): Page<Node> {
  return {
    edges: rows.slice(0, first).map((row) => ({ cursor: encodeCursor(keyOf(row)), node: toNode(row) })),
    hasNextPage: rows.length > first,
    hasPreviousPage: after != null,
  }
}

/** Returns the number of rows to read for a page: one more than it shows. Refuses a `first` below 1 or above 100. */
export function rowsToRead({ first }: PageRequest): number {
  const faults = createInputFaults()
  faults.number(['first'], first, RANGES.page)
  faults.throwAny()
  return first + 1
}

/**
 * Returns the parts of a cursor, in order; null for the first page.
 * Refuses a text that is no cursor of that many parts.
 */
export function readCursor(after: string | null | undefined, parts: number): string[] | null {
  if (after == null) return null
  try {
    const read: unknown = JSON.parse(Buffer.from(after, 'base64url').toString())
    if (Array.isArray(read) && read.length === parts && read.every(isPart)) return read
  } catch {
    // Reported below.
  }
  throw noCursor()
}

/**
 * The same for a list that is sorted by an instant, then by id. `at`: ISO 8601 with microseconds, as
 * `exactTime` in src/sql/database/clock.ts writes it.
 */
export function readTimeCursor(after: string | null | undefined): { at: string; id: string } | null {
  const parts = readCursor(after, 2)
  if (!parts) return null
  const [at, id] = parts as [string, string]
  // A Date has milliseconds: the microseconds are put back as they came.
  const microseconds = /\.\d{3}(\d{3})Z$/.exec(at)?.[1] ?? '000'
  return { at: readInstant(at).toISOString().replace('Z', `${microseconds}Z`), id }
}

/** Reads the instant in one part of a cursor. Refuses an instant that the database cannot store. */
export function readInstant(part: string): Date {
  const instant = new Date(part)
  // The year of an invalid date is NaN.
  if (!isStorableInstant(instant)) throw noCursor()
  return instant
}

export function noCursor() {
  return badInput({ path: ['after'], message: 'is not a cursor of this list' })
}

function isPart(part: unknown): part is string {
  return typeof part === 'string' && isStorable(part)
}

function encodeCursor(key: readonly string[]): string {
  return Buffer.from(JSON.stringify(key)).toString('base64url')
}

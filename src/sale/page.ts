import { badInput } from './faults.ts'
import { isStorable, isStorableInstant } from './storable.ts'

/** A page of a list that is read forward, as the API's connections have it. */
export interface Page<T> {
  readonly edges: readonly { readonly cursor: string; readonly node: T }[]
  readonly hasNextPage: boolean
  readonly hasPreviousPage: boolean
}

/** Which page: the `first` entries after the one that `after` stands for. */
export interface PageRequest {
  readonly first: number
  readonly after?: string | null
}

const LARGEST_PAGE = 100

/**
 * A page from rows read with one row more than asked for, which tells whether another page follows.
 * `keyOf` gives what the list is sorted by, the parts of the row's cursor.
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

/** How many rows to read for a page: one more than it shows. Refuses a `first` below 1 or above 100. */
export function rowsToRead({ first }: PageRequest): number {
  if (!Number.isInteger(first) || first < 1 || first > LARGEST_PAGE)
    throw badInput({ path: ['first'], message: `must be from 1 to ${LARGEST_PAGE}` })
  return first + 1
}

/**
 * The parts that a cursor was made of, in order; null where the page is the first.
 * Refuses what is no cursor of that many parts.
 */
export function readCursor(after: string | null | undefined, parts: number): string[] | null {
  if (after == null) return null
  try {
    const read: unknown = JSON.parse(Buffer.from(after, 'base64url').toString())
    if (Array.isArray(read) && read.length === parts && read.every(isPart)) return read
  } catch {
    // Told below.
  }
  throw noCursor()
}

/**
 * The same for a list that is sorted by an instant, then by id. `at`: ISO 8601 with microseconds, as
 * `exactTime` in src/sql/clock.ts writes it.
 */
export function readTimeCursor(after: string | null | undefined): { at: string; id: string } | null {
  const parts = readCursor(after, 2)
  if (!parts) return null
  const [at, id] = parts as [string, string]
  // A Date has milliseconds: the microseconds are put back as they came.
  const microseconds = /\.\d{3}(\d{3})Z$/.exec(at)?.[1] ?? '000'
  return { at: readInstant(at).toISOString().replace('Z', `${microseconds}Z`), id }
}

/** The instant that one part of a cursor stands for. Refuses what is none that the database can have. */
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

import { badInput, type InputFault } from './faults.ts'
import { inRange, type NumberRange, rangeInWords } from './numberRanges.ts'

export type Path = readonly (string | number)[]

/** The longest text that an input field may have, unless the field has a rule of its own. */
const LONGEST_TEXT = 200

/** The most faults that an error lists: more than a person reads, and far fewer than a plan of 50,000 seats can have. */
const LISTED = 200

/** Checks values of an input, and collects their faults. */
export interface FaultChecks {
  add(path: Path, message: string): void
  /** Returns a text of 1 to 200 characters (0 to 200 where `optional`); for any other value '', and adds a fault. */
  text(path: Path, value: unknown, optional?: 'optional'): string
  /** Returns a number of the range, rounded to its step; for any other value `min`, and adds a fault. */
  number(path: Path, value: unknown, range: NumberRange): number
  /** Returns the value. Adds a fault where its year is not one that a sale can have: 2000 to 2999. */
  instant(path: Path, value: Date): Date
}

/** Collects the faults of an input, so that one error reports all of them. */
export interface InputFaults extends FaultChecks {
  readonly count: number
  /** The first 200 faults; where there are more, also an entry with their number. */
  list(): InputFault[]
  /** Throws BAD_USER_INPUT with `list()`; does nothing without a fault. */
  throwAny(): void
}

/** These years leave room for durations that are added to an instant. A year outside them is a typing mistake. */
const FIRST_YEAR = 2000
const LAST_YEAR = 2999

export function createInputFaults(): InputFaults {
  const listed: InputFault[] = []
  let count = 0

  function add(path: Path, message: string) {
    count++
    if (listed.length < LISTED) listed.push({ path: [...path], message })
  }

  function list(): InputFault[] {
    const [first] = listed
    const more = count - listed.length
    if (first === undefined || more === 0) return [...listed]
    return [...listed, { path: first.path.slice(0, 1), message: `has ${more} more faults like these` }]
  }

  return {
    ...createFaultChecks(add),
    get count() {
      return count
    },
    list,
    throwAny() {
      if (count > 0) throw badInput(...list())
    },
  }
}

/** Returns the checks of single values, which report their faults to `add`. */
export function createFaultChecks(add: FaultChecks['add']): FaultChecks {
  return {
    add,
    text(path, value, optional) {
      const fault = textFault(value, optional ? 0 : 1)
      if (fault === null) return value as string
      add(path, fault)
      return ''
    },
    number(path, value, range) {
      const read = inRange(value, range)
      if (read !== null) return read
      add(path, `must be ${rangeInWords(range)}`)
      return range.min
    },
    instant(path, value) {
      const year = value.getUTCFullYear()
      if (year < FIRST_YEAR || year > LAST_YEAR)
        add(path, `must be in a year from ${FIRST_YEAR} to ${LAST_YEAR}`)
      return value
    },
  }
}

/** Control characters, line separators, and characters that change the direction of the text around them. */
const CONTROLS = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u
/** Any visible character. U+2800 is an empty braille cell. */
const VISIBLE = /[^\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u

function textFault(value: unknown, min: number): string | null {
  if (value == null) return 'is missing'
  if (typeof value !== 'string') return 'must be a text'
  if (value.length < min) return 'must not be empty'
  if (value.length > LONGEST_TEXT) return `must have at most ${LONGEST_TEXT} characters, not ${value.length}`
  // The database stores neither NUL nor half a surrogate pair. Other controls break lines or reverse the text.
  if (CONTROLS.test(value) || !value.isWellFormed()) return 'must not contain control characters'
  if (min > 0 && !VISIBLE.test(value)) return 'must have a character that can be seen'
  return null
}

import { badInput, type InputFault } from './faults.ts'

export type Path = readonly (string | number)[]

/** The longest text that a field of an input may have, unless a rule of its own says otherwise. */
const LONGEST_TEXT = 200

/** As many as a person reads; a plan with one mistake in each of 50,000 seats tells no more by all of them. */
const LISTED = 200

/** Gathers everything that is wrong with an input, so that its sender is told all of it at once. */
export interface InputFaults {
  add(path: Path, message: string): void
  /** The value where it is a text of 1 to 200 characters (0 where `optional`); else '' and a fault. */
  text(path: Path, value: unknown, optional?: 'optional'): string
  /** The value where it is a number within the bounds; else `min` and a fault. */
  number(path: Path, value: unknown, min: number, max: number): number
  /** The same for a whole number. */
  whole(path: Path, value: unknown, min: number, max: number): number
  /** The value where its year is one that a sale can have, 2000 to 2999; else a fault. */
  instant(path: Path, value: Date): Date
  readonly count: number
  /** Throws BAD_USER_INPUT where there was any fault; lists the first 200. */
  throwAny(): void
}

/** Room on either side of them for whatever is added to an instant; what is further off is a slip of the keyboard. */
const FIRST_YEAR = 2000
const LAST_YEAR = 2999

export function createInputFaults(): InputFaults {
  const listed: InputFault[] = []
  let count = 0

  function add(path: Path, message: string) {
    count++
    if (listed.length < LISTED) listed.push({ path: [...path], message })
  }

  function bounded(path: Path, value: unknown, min: number, max: number, isRight: boolean, kind: string) {
    if (isRight && (value as number) >= min && (value as number) <= max) return value as number
    add(path, `must be a ${kind} from ${min} to ${max}`)
    return min
  }

  return {
    add,
    text(path, value, optional) {
      const fault = textFault(value, optional ? 0 : 1)
      if (fault === null) return value as string
      add(path, fault)
      return ''
    },
    number: (path, value, min, max) => bounded(path, value, min, max, typeof value === 'number', 'number'),
    whole: (path, value, min, max) => bounded(path, value, min, max, Number.isInteger(value), 'whole number'),
    instant(path, value) {
      const year = value.getUTCFullYear()
      if (year < FIRST_YEAR || year > LAST_YEAR)
        add(path, `must be in a year from ${FIRST_YEAR} to ${LAST_YEAR}`)
      return value
    },
    get count() {
      return count
    },
    throwAny() {
      const [first] = listed
      if (first === undefined) return
      const more = count - listed.length
      if (more > 0)
        listed.push({ path: first.path.slice(0, 1), message: `has ${more} more faults like these` })
      throw badInput(...listed)
    },
  }
}

/** Also what breaks lines, and what turns the direction of the text around it: names beside it would be misread. */
const CONTROLS = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u
/** U+2800 is an empty cell of braille. */
const VISIBLE = /[^\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u

function textFault(value: unknown, min: number): string | null {
  if (value == null) return 'is missing'
  if (typeof value !== 'string') return 'must be a text'
  if (value.length < min) return 'must not be empty'
  if (value.length > LONGEST_TEXT) return `must have at most ${LONGEST_TEXT} characters, not ${value.length}`
  // The database stores neither NUL nor half a surrogate pair; the other controls break displays or turn them around.
  if (CONTROLS.test(value) || !value.isWellFormed()) return 'must not contain control characters'
  if (min > 0 && !VISIBLE.test(value)) return 'must have a character that can be seen'
  return null
}

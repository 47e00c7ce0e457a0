/**
 * Bounds of the JSON of an organizer: 30 MB of opening brackets took five seconds of processor time and a gigabyte to
 * parse. A plan of 150,000 seats has some two million values, eight levels deep.
 */
const LIMITS = {
  depth: 64,
  values: 2_500_000,
  /** Of one object, and of one list: a row may have all seats of an event. */
  members: 10_000,
  entries: 200_000,
  /** Of one number. */
  digits: 1_000,
} as const

const [QUOTE, BACKSLASH, COMMA, ZERO, NINE] = [0x22, 0x5c, 0x2c, 0x30, 0x39]
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]

/** Reads JSON piece by piece, before it is parsed. */
export interface JsonShape {
  /** Returns the reason why the JSON must not be parsed, or null. Bytes of UTF-8, or characters. */
  read(piece: Uint8Array | string): string | null
}

export function createJsonShape(): JsonShape {
  const members = new Uint32Array(LIMITS.depth + 1)
  const isObject = new Uint8Array(LIMITS.depth + 1)
  let depth = 0
  let values = 0
  let digits = 0
  let isInText = false
  let isEscaped = false

  function readOne(code: number): string | null {
    if (isInText) {
      if (isEscaped) isEscaped = false
      else if (code === BACKSLASH) isEscaped = true
      else if (code === QUOTE) isInText = false
      return null
    }
    if (code >= ZERO && code <= NINE)
      return ++digits > LIMITS.digits ? `has a number of more than ${LIMITS.digits} digits` : null
    digits = 0
    if (code === QUOTE) isInText = true
    else if (code === OPEN_LIST || code === OPEN_OBJECT) return open(code === OPEN_OBJECT)
    else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth = Math.max(0, depth - 1)
    else if (code === COMMA) return separate()
    return null
  }

  function open(opensObject: boolean): string | null {
    if (++depth > LIMITS.depth) return `is nested more than ${LIMITS.depth} levels deep`
    members[depth] = 0
    isObject[depth] = opensObject ? 1 : 0
    return count()
  }

  function separate(): string | null {
    const here = (members[depth] ?? 0) + 1
    members[depth] = here
    if (isObject[depth] === 1 && here >= LIMITS.members)
      return `has an object of more than ${LIMITS.members} members`
    if (here >= LIMITS.entries) return `has a list of more than ${LIMITS.entries} entries`
    return count()
  }

  function count(): string | null {
    return ++values > LIMITS.values ? `has more than ${LIMITS.values} values` : null
  }

  return {
    read(piece) {
      for (let i = 0; i < piece.length; i++) {
        const fault = readOne(typeof piece === 'string' ? piece.charCodeAt(i) : (piece[i] as number))
        if (fault !== null) return fault
      }
      return null
    },
  }
}

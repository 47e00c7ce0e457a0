/** Counts over a sliding window, in memory that never grows. */
export interface CountMinSketch {
  /** Adds one to the key's count, and returns the count within the last window, this addition included. */
  add(key: Key): number
  count(key: Key): number
  /** Seconds until the count is below `limit`, if nothing is added until then. */
  secondsUntilBelow(key: Key, limit: number): number
}

/** Two numbers from a digest. They determine the key's cells (Kirsch and Mitzenmacher 2006). */
export interface Key {
  readonly a: number
  readonly b: number
}

/**
 * Cells in a row. A key has one cell in each row, and its count is the minimum of the four. With 100,000 accounts in a
 * window, each with its own device and two to an address, 1.4 percent of the accounts had a count that was one too high,
 * and four accounts a count that was two too high. With 1,200,000 accounts (20,000 a second for a minute) no count was
 * more than six too high.
 */
const CELLS = 2 ** 19
const ROWS = 4
const FULL = 0xffff

/** The key of a digest of at least 8 bytes. */
export function keyOf(digest: Uint8Array): Key {
  return { a: wordAt(digest, 0), b: wordAt(digest, 4) }
}

/** A second key derived from `key`, with cells that are independent of the first key's cells. */
export function independentKey({ a, b }: Key): Key {
  return { a: Math.imul(a ^ 0x5bd1e995, 0x9e3779b1), b: Math.imul(b ^ 0x1b873593, 0x85ebca6b) }
}

function wordAt(bytes: Uint8Array, at: number): number {
  const byte = (i: number) => bytes[at + i] as number
  return byte(0) | (byte(1) << 8) | (byte(2) << 16) | (byte(3) << 24)
}

/**
 * Returns a count-min sketch with conservative update (Estan and Varghese 2002) over a sliding window. A count is this
 * window's count, plus the previous window's count weighted by the share of it that the last `windowMs` still cover.
 * A count is never too low. The sketch takes 8 MiB, however many accounts, devices and addresses an attacker invents;
 * a Map of 1,200,000 keys took 113 MB.
 */
export function createCountMinSketch(
  windowMs: number,
  now: () => number = () => performance.now(),
): CountMinSketch {
  let current = new Uint16Array(ROWS * CELLS)
  let previous = new Uint16Array(ROWS * CELLS)
  let startedAt = now()

  /** Moves the window to now. Returns the share of the previous window that still counts. */
  function slideWindow(): number {
    const windows = Math.floor((now() - startedAt) / windowMs)
    if (windows > 0) {
      startedAt += windows * windowMs
      const recycled = previous
      previous = current
      current = recycled.fill(0)
      if (windows > 1) previous.fill(0)
    }
    return 1 - (now() - startedAt) / windowMs
  }

  function cellOf({ a, b }: Key, row: number): number {
    return row * CELLS + ((a + row * (b | 1)) & (CELLS - 1))
  }

  function minimumOf(cells: Uint16Array, key: Key): number {
    let minimum = FULL
    for (let row = 0; row < ROWS; row++) minimum = Math.min(minimum, cells[cellOf(key, row)] as number)
    return minimum
  }

  function count(key: Key): number {
    const share = slideWindow()
    return minimumOf(current, key) + share * minimumOf(previous, key)
  }

  return {
    count,
    add(key) {
      const before = count(key)
      const next = Math.min(FULL, minimumOf(current, key) + 1)
      for (let row = 0; row < ROWS; row++) {
        const cell = cellOf(key, row)
        if ((current[cell] as number) < next) current[cell] = next
      }
      return before + 1
    },
    secondsUntilBelow(key, limit) {
      if (count(key) < limit) return 0
      const inCurrent = minimumOf(current, key)
      const left = windowMs - (now() - startedAt)
      // During this window the previous window's count fades. During the next window this window's count fades.
      const ms =
        inCurrent < limit
          ? left - ((limit - inCurrent) / minimumOf(previous, key)) * windowMs
          : left + (1 - limit / inCurrent) * windowMs
      return Math.max(1, Math.ceil(ms / 1_000))
    },
  }
}

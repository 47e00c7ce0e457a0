export interface BoundedCache<Key, Value> {
  get(key: Key): Value | undefined
  set(key: Key, value: Value): void
  delete(key: Key): void
  /** All values, in no order. */
  values(): Iterable<Value>
}

/**
 * Keeps the most recently used entries: at least the last `atLeast` ones, and at most twice as many.
 *
 * The entries live in two maps. When the newer map is full, the cache drops the older one. A single Map would have to step
 * over all deleted entries to find its oldest one, which is slow.
 *
 * @param isInUse keeps these values beside the others, above the upper bound, however long ago they were used
 */
export function createBoundedCache<Key, Value>(
  atLeast: number,
  isInUse?: (value: Value) => boolean,
): BoundedCache<Key, Value> {
  let newer = new Map<Key, Value>()
  let older = new Map<Key, Value>()
  let mostNewer = atLeast

  function dropOlder() {
    const dropped = older
    older = newer
    newer = new Map()
    if (isInUse)
      for (const [key, value] of dropped) if (!older.has(key) && isInUse(value)) newer.set(key, value)
    mostNewer = newer.size + atLeast
  }

  function set(key: Key, value: Value) {
    if (newer.size >= mostNewer) dropOlder()
    newer.set(key, value)
  }

  return {
    get(key) {
      const value = newer.get(key)
      if (value !== undefined) return value
      const found = older.get(key)
      if (found === undefined) return undefined
      older.delete(key)
      set(key, found)
      return found
    },
    set,
    delete(key) {
      newer.delete(key)
      older.delete(key)
    },
    *values() {
      yield* newer.values()
      for (const [key, value] of older) if (!newer.has(key)) yield value
    },
  }
}

export interface BoundedCache<Key, Value> {
  get(key: Key): Value | undefined
  set(key: Key, value: Value): void
}

/**
 * What was last asked for, twice `half` entries at most. In two halves, of which the older one goes
 * when the newer is full: a Map finds its oldest entry by stepping over all that were deleted before it, which took ten
 * times as long as checking a signature.
 */
export function createBoundedCache<Key, Value>(half: number): BoundedCache<Key, Value> {
  let lately = new Map<Key, Value>()
  let before = new Map<Key, Value>()

  function set(key: Key, value: Value) {
    if (lately.size >= half) {
      before = lately
      lately = new Map()
    }
    lately.set(key, value)
  }

  return {
    get(key) {
      const known = lately.get(key)
      if (known !== undefined) return known
      const older = before.get(key)
      if (older !== undefined) set(key, older)
      return older
    },
    set,
  }
}

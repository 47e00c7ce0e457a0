/** Places of one room that were given up, and how many of them are not called yet. */
export interface GivenUp {
  /** How many are not called yet: they do not wait. */
  readonly uncalled: number
  has(place: number): boolean
  /** Arrival indexes of those above `after` and up to `upTo`. */
  arrivals(after: number, upTo: number): number[]
}

export interface KeptGivenUp extends GivenUp {
  set(place: number, arrival: number, hasLeft: boolean): void
  /** Everybody up to this place has been called. */
  callUpTo(admittedUpTo: number): void
}

/**
 * Counted as it changes, and never by looking at all of them: hundreds of thousands may give up, and the count is
 * told with every look at the room.
 */
export function createGivenUp(): KeptGivenUp {
  const arrivals = new Map<number, number>()
  let calledUpTo = 0
  let uncalled = 0

  function countUncalled(): number {
    let count = 0
    for (const place of arrivals.keys()) if (place > calledUpTo) count++
    return count
  }

  return {
    get uncalled() {
      return uncalled
    },
    has: (place) => arrivals.has(place),
    arrivals(after, upTo) {
      const found: number[] = []
      for (let place = after + 1; place <= upTo; place++) {
        const arrival = arrivals.get(place)
        if (arrival !== undefined) found.push(arrival)
      }
      return found
    },
    set(place, arrival, hasLeft) {
      if (hasLeft === arrivals.has(place)) return
      if (hasLeft) arrivals.set(place, arrival)
      else arrivals.delete(place)
      if (place > calledUpTo) uncalled += hasLeft ? 1 : -1
    },
    callUpTo(admittedUpTo) {
      const before = calledUpTo
      calledUpTo = admittedUpTo
      // A tick calls few; the first look at a room, or one at a database that lost a tick, may skip many.
      if (admittedUpTo < before || admittedUpTo - before > arrivals.size) uncalled = countUncalled()
      else for (let place = before + 1; place <= admittedUpTo; place++) if (arrivals.has(place)) uncalled--
    },
  }
}

/** Places of one room that were given up, and how many of them are not called yet. */
export interface AbandonedPlaces {
  /** How many of them are not called yet. They do not count as waiting. */
  readonly uncalled: number
  has(place: number): boolean
  /** The arrival indexes of the abandoned places above `after` and up to `upTo`. */
  arrivals(after: number, upTo: number): number[]
}

export interface AbandonedPlacesRecord extends AbandonedPlaces {
  set(place: number, arrival: number, hasLeft: boolean): void
  /** All places up to this one were called. */
  callUpTo(admittedUpTo: number): void
}

/** The least growth of the array, so that places given up one by one at the end of the line seldom copy it. */
const GROWS_BY = 1.25

/**
 * Counts on every change, and never all places: hundreds of thousands of fans may give up, and every view of the room has the
 * count.
 *
 * At the draw all of them get another place at once, on the event loop that serves. So they are in an array by place, with 4 bytes
 * for each place of the line: faster to write than a map.
 */
export function createAbandonedPlaces(): AbandonedPlacesRecord {
  /** The arrival index of each place that was given up; else 0. */
  let arrivals = new Uint32Array(0)
  let calledUpTo = 0
  let uncalled = 0

  function countBetween(after: number, upTo: number): number {
    let count = 0
    for (let place = after + 1; place <= upTo && place < arrivals.length; place++)
      if (arrivals[place] !== 0) count++
    return count
  }

  function growTo(place: number) {
    const larger = new Uint32Array(Math.max(place + 1, Math.ceil(arrivals.length * GROWS_BY)))
    larger.set(arrivals)
    arrivals = larger
  }

  const has = (place: number) => (arrivals[place] ?? 0) !== 0

  return {
    get uncalled() {
      return uncalled
    },
    has,
    arrivals(after, upTo) {
      const found: number[] = []
      for (let place = after + 1; place <= upTo && place < arrivals.length; place++) {
        const arrival = arrivals[place] as number
        if (arrival !== 0) found.push(arrival)
      }
      return found
    },
    set(place, arrival, hasLeft) {
      if (hasLeft === has(place)) return
      if (place >= arrivals.length) growTo(place)
      arrivals[place] = hasLeft ? arrival : 0
      if (place > calledUpTo) uncalled += hasLeft ? 1 : -1
    },
    callUpTo(admittedUpTo) {
      uncalled += countBetween(admittedUpTo, calledUpTo) - countBetween(calledUpTo, admittedUpTo)
      calledUpTo = admittedUpTo
    },
  }
}

/** The server's time, independent of the device's clock. */
export interface Clock {
  /** Corrects the clock by an `asOf` that has just arrived. */
  sync(asOf: string): void
  /** The server's time in milliseconds since the epoch. */
  now(): number
  /** Milliseconds until an instant; negative after it. */
  until(instant: string): number
}

/**
 * Creates a clock that every `asOf` corrects. An answer needs time to arrive, so an `asOf` can only be late: the
 * greatest difference seen is the most exact one. The clock runs on the monotonic clock, so a change of the device's
 * clock moves no countdown. Where the monotonic clock stops during sleep, the next `asOf` corrects it.
 */
export function createClock(monotonic: () => number = () => performance.now()): Clock {
  let difference: number | undefined
  const clock: Clock = {
    sync(asOf) {
      const seen = Date.parse(asOf) - monotonic()
      if (difference === undefined || seen > difference) difference = seen
    },
    now: () => (difference === undefined ? Date.now() : monotonic() + difference),
    until: (instant) => Date.parse(instant) - clock.now(),
  }
  return clock
}

/** The server's time, whatever the device's clock says. */
export interface Clock {
  /** Takes an `asOf` that has just arrived. */
  hear(asOf: string): void
  /** Milliseconds since the epoch, by the server's clock. */
  now(): number
  /** Milliseconds from now until an instant; negative once it is past. */
  until(instant: string): number
}

/**
 * A clock set by every `asOf` that is heard. An answer is always on its way for some time and may have
 * been read a little earlier, so each `asOf` can only be late: the greatest difference seen is the
 * nearest to the truth. It runs on the monotonic clock, so that a device's clock which is set while
 * the page is open moves no countdown; where that clock stood still in sleep, the next `asOf` is greater.
 */
export function createClock(monotonic: () => number = () => performance.now()): Clock {
  let difference: number | undefined
  const clock: Clock = {
    hear(asOf) {
      const heard = Date.parse(asOf) - monotonic()
      if (difference === undefined || heard > difference) difference = heard
    },
    now: () => (difference === undefined ? Date.now() : monotonic() + difference),
    until: (instant) => Date.parse(instant) - clock.now(),
  }
  return clock
}

/** What a wait was said to be, in seconds, and what it was; null: the turn never came. */
export interface Estimate {
  told: number
  waited: number | null
}

/** What was left to wait at half-way, in seconds, and what the estimate that stood then said of it; null: none stood. */
export interface HalfwayEstimate {
  told: number | null
  waited: number
}

/** One person's wait, and what they were told of it. */
export interface Wait {
  /** What is told now: seconds to wait; null where no estimate is given. */
  hear(seconds: number | null): void
  /**
   * The first estimate, held against the wait from then on, null where none was given; and what was left to wait at
   * half-way, by the estimate that stood then, held against what was left indeed, null where the wait was too short to
   * have a half-way, or in vain.
   */
  end(cameIn: boolean): { first: Estimate | null; halfway: HalfwayEstimate | null }
}

/** Of shorter waits half-way is less than a few of the pacer's ticks: nothing can be said of them in whole seconds. */
const SHORTEST_MS = 10_000

/** Begins when the place is known and somebody waits: before the opening there is nothing to estimate. */
export function startWait(now: () => number = () => performance.now()): Wait {
  const begun = now()
  const heard: { at: number; seconds: number | null }[] = []

  return {
    hear: (seconds) => heard.push({ at: now(), seconds }),
    end(cameIn) {
      const ended = now()
      const first = heard.find(({ seconds }) => seconds !== null)
      return {
        first: first
          ? { told: first.seconds as number, waited: cameIn ? (ended - first.at) / 1_000 : null }
          : null,
        halfway: cameIn && ended - begun >= SHORTEST_MS ? atHalf(ended) : null,
      }
    },
  }

  function atHalf(ended: number): HalfwayEstimate {
    const half = (begun + ended) / 2
    const waited = (ended - half) / 1_000
    const stood = heard.findLast(({ at }) => at <= half)
    if (!stood || stood.seconds === null) return { told: null, waited }
    // A page counts down what it was told.
    return { told: Math.max(0, stood.seconds - (half - stood.at) / 1_000), waited }
  }
}

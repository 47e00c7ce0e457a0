/** An estimated and an actual wait in seconds. `waited` is null if the fan was not admitted. */
export interface Estimate {
  estimated: number
  waited: number | null
}

/** The estimated and the actual remaining wait at half-way, in seconds. `estimated` is null if there was no estimate. */
export interface HalfwayEstimate {
  estimated: number | null
  waited: number
}

/** One fan's wait and its estimates. */
export interface Wait {
  /** Records the current estimate in seconds; null if there is none. */
  update(seconds: number | null): void
  /**
   * Ends the wait and returns two comparisons. `first`: the first estimate and the wait after it; null without an
   * estimate. `halfway`: the estimated and the actual remaining wait at half-way; null if the wait was too short or the
   * fan was not admitted.
   */
  end(admitted: boolean): { first: Estimate | null; halfway: HalfwayEstimate | null }
}

/** Half of a shorter wait is only a few ticks of the pacer: too short to judge in whole seconds. */
const SHORTEST_MS = 10_000

/** Starts when the fan waits with a place: before the opening there is nothing to estimate. */
export function startWait(now: () => number = () => performance.now()): Wait {
  const begun = now()
  const updates: { at: number; seconds: number | null }[] = []

  return {
    update: (seconds) => updates.push({ at: now(), seconds }),
    end(admitted) {
      const ended = now()
      const first = updates.find(({ seconds }) => seconds !== null)
      return {
        first: first
          ? { estimated: first.seconds as number, waited: admitted ? (ended - first.at) / 1_000 : null }
          : null,
        halfway: admitted && ended - begun >= SHORTEST_MS ? atHalf(ended) : null,
      }
    },
  }

  function atHalf(ended: number): HalfwayEstimate {
    const half = (begun + ended) / 2
    const waited = (ended - half) / 1_000
    const current = updates.findLast(({ at }) => at <= half)
    if (!current || current.seconds === null) return { estimated: null, waited }
    // The page counts the estimate down.
    return { estimated: Math.max(0, current.seconds - (half - current.at) / 1_000), waited }
  }
}

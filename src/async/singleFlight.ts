/**
 * Returns a function that runs `work`. A caller that comes while a run is under way shares that run and its outcome. Such a
 * run may have begun before the caller's own change: see sharedReads.ts for callers that must see it.
 */
export function singleFlight<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined
  return () => {
    running ??= work().finally(() => {
      running = undefined
    })
    return running
  }
}

export interface SingleFlights<T> {
  run(key: string, work: () => Promise<T>): Promise<T>
}

/**
 * The same for each key.
 *
 * @param failureKeptMs callers share a failure for so long after it, so that a crowd does not retry at once
 */
export function createSingleFlights<T>(failureKeptMs = 0): SingleFlights<T> {
  const running = new Map<string, Promise<T>>()
  return {
    run(key, work) {
      const known = running.get(key)
      if (known) return known
      const flight = work()
      running.set(key, flight)
      const forget = () => running.delete(key)
      flight.then(forget, () => {
        if (failureKeptMs > 0) setTimeout(forget, failureKeptMs).unref()
        else forget()
      })
      return flight
    },
  }
}

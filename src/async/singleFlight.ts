export interface SingleFlight<T> {
  /** Shares the run that is under way, or starts one. */
  (): Promise<T>
  /** Shares a run that begins after this call, for a caller that must see its own change. See also sharedReads.ts. */
  next(): Promise<T>
}

/** Returns a function that runs `work`, one run at a time, and shares each run and its outcome among its callers. */
export function singleFlight<T>(work: () => Promise<T>): SingleFlight<T> {
  let running: Promise<T> | undefined

  function join(): Promise<T> {
    running ??= work().finally(() => {
      running = undefined
    })
    return running
  }

  async function next(): Promise<T> {
    await running?.catch(() => {})
    return join()
  }

  return Object.assign(join, { next })
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

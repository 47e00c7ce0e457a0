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
  /** Shares the run of this key that is under way or kept, or starts one. */
  run(key: string, work: () => Promise<T>): Promise<T>
  /** The next caller of this key starts a run. */
  forget(key: string): void
}

export interface KeptTimes {
  /** How long callers share a result after its run. Default: 0. */
  keptMs?: number
  /** How long callers share a failure after its run, so that a crowd does not retry at once. Default: 0. */
  failureKeptMs?: number
}

/** Shares each run of a key among its callers, and its outcome for a time after it. */
export function createSingleFlights<T>({ keptMs = 0, failureKeptMs = 0 }: KeptTimes = {}): SingleFlights<T> {
  const flights = new Map<string, Promise<T>>()
  return {
    run(key, work) {
      const known = flights.get(key)
      if (known) return known
      const flight = work()
      flights.set(key, flight)
      const forget = () => {
        if (flights.get(key) === flight) flights.delete(key)
      }
      const forgetAfter = (ms: number) => {
        if (ms > 0) setTimeout(forget, ms).unref()
        else forget()
      }
      flight.then(
        () => forgetAfter(keptMs),
        () => forgetAfter(failureKeptMs),
      )
      return flight
    },
    forget(key) {
      flights.delete(key)
    },
  }
}

/** Returns a function that reads one value, and shares each read and its value, for `keptMs` after it. */
export function keptRead<T>(keptMs: number, read: () => Promise<T>): () => Promise<T> {
  const flights = createSingleFlights<T>({ keptMs })
  return () => flights.run('', read)
}

export interface Loop {
  /** Starts no further round, and waits for the current one. */
  stop(): Promise<void>
}

/** Runs `work` at once and then again, `ms` after the end of each round. Passes a round's error to `onError`. */
export function loop(ms: number, work: () => Promise<void>, onError: (error: unknown) => void): Loop {
  let timer: NodeJS.Timeout | undefined
  let stopped = false

  async function round() {
    try {
      await work()
    } catch (error) {
      onError(error)
    }
    if (!stopped) timer = setTimeout(next, ms)
  }
  function next() {
    atWork = round()
  }
  let atWork = round()

  return {
    stop() {
      stopped = true
      clearTimeout(timer)
      return atWork
    },
  }
}

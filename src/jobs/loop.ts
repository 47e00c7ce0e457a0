export interface Loop {
  /** Begins no further round and waits for the one at work. */
  stop(): Promise<void>
}

/** Does `work` at once and then again, `ms` after each round. What a round throws goes to `onError`. */
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

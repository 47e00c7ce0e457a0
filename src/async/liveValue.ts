/**
 * The pump of every subscription: the current value at once, then a new one after each change.
 *
 * Wakes are coalesced: however many changes come while one value is being read or sent, one more read
 * follows. So nothing queues up behind a slow reader, and nothing overflows.
 */
export interface LiveValueOptions<T> {
  /** Starts listening; calls `wake` on every change; returns how to stop. */
  listen(wake: () => void): () => void
  /** The value now; undefined: nothing to tell this time. */
  read(): Promise<T | undefined> | T | undefined
  /** True after the last value: the subscription ends. */
  isLast?(value: T): boolean
  /** Read again after this many milliseconds without a wake; pub/sub may lose messages. */
  backstopMs: number | ((last: T | undefined) => number)
}

/**
 * An iterator whose `return()` takes effect at once, also while it waits: an async generator would keep its
 * listener until the next change.
 */
export function liveValue<T>({
  listen,
  read,
  isLast,
  backstopMs,
}: LiveValueOptions<T>): AsyncIterableIterator<T> {
  let pending = true
  let ended = false
  let last: T | undefined
  let timer: NodeJS.Timeout | undefined
  let resume: (() => void) | undefined

  const wake = () => {
    pending = true
    resume?.()
  }
  const stop = listen(wake)

  function end() {
    if (ended) return
    ended = true
    clearTimeout(timer)
    stop()
    resume?.()
  }

  function waitForWake(): Promise<void> {
    if (pending || ended) return Promise.resolve()
    return new Promise((resolve) => {
      timer = setTimeout(wake, typeof backstopMs === 'number' ? backstopMs : backstopMs(last))
      resume = () => {
        clearTimeout(timer)
        resume = undefined
        resolve()
      }
    })
  }

  return {
    async next() {
      while (!ended) {
        await waitForWake()
        if (ended) break
        pending = false
        try {
          const value = await read()
          if (ended) break
          if (value === undefined) continue
          last = value
          if (isLast?.(value)) end()
          return { done: false, value }
        } catch (error) {
          end()
          throw error
        }
      }
      return { done: true, value: undefined }
    },
    async return() {
      end()
      return { done: true, value: undefined }
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}

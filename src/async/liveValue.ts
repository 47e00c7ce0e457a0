/**
 * The pump of every subscription: the current value at once, then a new one after each change.
 *
 * Wakes are coalesced: however many changes come while a value is read or sent, one more read follows. So no values queue up
 * behind a slow reader.
 */
export interface LiveValueOptions<T> {
  /** Starts to listen, and calls `wake` on every change. Returns a function that stops it. */
  listen(wake: () => void): () => void
  /** The current value; undefined: send nothing this time. */
  read(): Promise<T | undefined> | T | undefined
  /** True for the last value: the subscription ends after it. */
  isLast?(value: T): boolean
  /** Reads again after so many milliseconds without a wake, since pub/sub may lose messages. */
  backstopMs: number | ((last: T | undefined) => number)
}

/**
 * Returns an iterator whose `return()` takes effect at once, also while it waits. An async generator would keep its listener
 * until the next change.
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

/** A value, or a promise of one. */
export type MaybePromise<T> = T | Promise<T>

/**
 * Returns the result of `next` for the value; at once where the value is there.
 *
 * For values that ten thousand callers a second read and that are nearly always there: an `await` costs a promise and a
 * microtask each time (`bench/poll.ts`).
 */
export function andThen<T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return value instanceof Promise ? value.then(next) : next(value)
}

/** Returns the result of `work`. An error that it throws becomes a rejected promise, as if `work` were async. */
export function attempt<T>(work: () => MaybePromise<T>): MaybePromise<T> {
  try {
    return work()
  } catch (error) {
    return Promise.reject(error)
  }
}

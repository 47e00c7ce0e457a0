/**
 * Returns the first value of a watch for which `pick` returns a result. Rejects where the watch fails, or with the signal's
 * reason. The watch then ends.
 */
export function firstOf<Value, Result>(
  watch: (next: (value: Value) => void, failed: (error: unknown) => void) => () => void,
  pick: (value: Value) => Result | undefined,
  signal?: AbortSignal,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const abort = () => end(() => reject(signal?.reason))
    const stop = watch(
      (value) => {
        const result = pick(value)
        if (result !== undefined) end(() => resolve(result))
      },
      (error) => end(() => reject(error)),
    )
    function end(settle: () => void) {
      signal?.removeEventListener('abort', abort)
      stop()
      settle()
    }
    signal?.addEventListener('abort', abort, { once: true })
  })
}

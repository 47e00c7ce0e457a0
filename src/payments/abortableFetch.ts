import { AsyncLocalStorage } from 'node:async_hooks'

/**
 * A `fetch` for SDKs that take no AbortSignal for a call: `within` runs a call of the SDK, and each request that the call
 * makes ends when the signal aborts.
 */
export function abortableFetch() {
  const current = new AsyncLocalStorage<AbortSignal>()
  return {
    within: <T>(signal: AbortSignal, call: () => Promise<T>): Promise<T> => current.run(signal, call),
    fetch: ((input, init = {}) => {
      const signals = [init.signal, current.getStore()].filter((signal) => signal != null)
      return fetch(input, { ...init, signal: AbortSignal.any(signals) })
    }) satisfies typeof fetch,
  }
}

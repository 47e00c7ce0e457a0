import { vi } from 'vitest'

/** Retries the assertions until they pass. Fails with their last error after 20 seconds, enough for a busy machine. */
export function eventually<T>(assertions: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(assertions, { timeout: 20_000, interval: 20 })
}

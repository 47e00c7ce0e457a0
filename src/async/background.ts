import { AsyncLocalStorage } from 'node:async_hooks'

const operations = new AsyncLocalStorage<string | undefined>()
let latest = 0

/** Runs `work`, and all that it starts, as one operation of the background: others may pass it (sql/database/backgroundShare.ts). */
export function inBackground<T>(work: () => T): T {
  return operations.run(String(++latest), work)
}

/** Runs `work` outside of the background, also where an operation of the background calls it. */
export function inForeground<T>(work: () => T): T {
  return operations.run(undefined, work)
}

/** The name of the operation of the background that runs; undefined in the foreground. */
export function backgroundOperation(): string | undefined {
  return operations.getStore()
}

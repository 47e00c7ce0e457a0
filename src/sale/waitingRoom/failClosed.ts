import type { Logger } from 'pino'
import { Fault, overloaded } from '../faults.ts'

export type FailClosed = <T>(work: () => Promise<T>) => Promise<T>

/** All requests of a refused crowd fail for one reason. One log line a second is enough. */
const LOG_EVERY_MS = 1_000

/**
 * Returns a function that runs `work` and fails closed: no fan joins and no fan is admitted while a store is away. Every
 * error except a Fault becomes OVERLOADED, with a jittered time to retry after. The log has the original error.
 */
export function createFailClosed(log: Logger): FailClosed {
  let loggedAt = Number.NEGATIVE_INFINITY
  return async (work) => {
    try {
      return await work()
    } catch (error) {
      if (error instanceof Fault) throw error
      if (performance.now() - loggedAt > LOG_EVERY_MS) {
        loggedAt = performance.now()
        log.error({ err: error }, 'the waiting room is closed')
      }
      throw overloaded(2 + Math.floor(Math.random() * 4))
    }
  }
}

import type { Logger } from 'pino'
import { Fault, overloaded } from '../faults.ts'

export type FailClosed = <T>(work: () => Promise<T>) => Promise<T>

/** A crowd that is turned away fails for one reason: the log need not hear it from everybody. */
const LOG_EVERY_MS = 1_000

/**
 * Nobody joins and nobody is let in while a store is away: whatever goes wrong becomes OVERLOADED, with a jittered
 * time to come back. Where the trouble is, the log tells.
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
        log.error({ err: error }, 'the queue is closed')
      }
      throw overloaded(2 + Math.floor(Math.random() * 4))
    }
  }
}

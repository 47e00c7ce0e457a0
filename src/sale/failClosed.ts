import type { Logger } from 'pino'
import { Fault, overloaded } from './faults.ts'

export type FailClosed = <T>(work: () => Promise<T>) => Promise<T>

/**
 * Nobody joins and nobody is let in while a store is away: whatever goes wrong becomes OVERLOADED, with a jittered
 * time to come back. Where the trouble is, the log tells.
 */
export function createFailClosed(log: Logger): FailClosed {
  return async (work) => {
    try {
      return await work()
    } catch (error) {
      if (error instanceof Fault) throw error
      log.error({ err: error }, 'the queue is closed')
      throw overloaded(2 + Math.floor(Math.random() * 4))
    }
  }
}

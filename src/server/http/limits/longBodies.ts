import { setTimeout as sleep } from 'node:timers/promises'
import { createFairSlots } from '../../../async/fairSlots.ts'

/** The rest after each long body. */
const REST_MS = 500

export interface LongBodies {
  /** Runs the work when no other long body is under way. The accounts take turns. */
  run<T>(account: string, work: () => Promise<T>): Promise<T>
}

/**
 * Serves the long bodies of organizers one at a time, with a rest between them: a thread parses one and reads its plan, and needs
 * a core and some hundred megabytes meanwhile (sale/events/eventThread.ts).
 */
export function createLongBodies(restMs = REST_MS): LongBodies {
  const slots = createFairSlots(1)
  return {
    async run(account, work) {
      await slots.take(account)
      try {
        return await work()
      } finally {
        void sleep(restMs, undefined, { ref: false }).then(() => slots.give())
      }
    },
  }
}

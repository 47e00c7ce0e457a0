import { busy } from './busy.ts'

/** Gives a slot back. Calling it again does nothing. */
export type Release = () => void

export interface Slots {
  /**
   * Takes a slot, and waits for one for up to `patienceMs` milliseconds. Throws ProviderBusy where none comes free, and at
   * once where too many callers wait already.
   *
   * Jobs leave the last slots to checkouts, whose fans wait.
   */
  take(caller: Caller, patienceMs: number): Promise<Release>
}

export type Caller = 'checkout' | 'job'

interface Waiter {
  readonly caller: Caller
  give(): void
}

/** The share of the slots that jobs leave to checkouts. */
const KEPT_FOR_CHECKOUTS = 1 / 4

/**
 * The slots of one process for calls to one provider. As many checkouts as there are slots may wait for one, and as many jobs.
 * The owner of a slot must wait for nothing but its own call: owners that wait for a second slot can stop a process for good.
 */
export function createSlots(count: number): Slots {
  const forJobs = count - Math.floor(count * KEPT_FOR_CHECKOUTS)
  let taken = 0
  let takenByJobs = 0
  /** In the order of their arrival. */
  const waiters: Waiter[] = []

  const isFree = (caller: Caller) => taken < count && (caller === 'checkout' || takenByJobs < forJobs)

  function occupy(caller: Caller): Release {
    taken += 1
    if (caller === 'job') takenByJobs += 1
    let released = false
    return () => {
      if (released) return
      released = true
      taken -= 1
      if (caller === 'job') takenByJobs -= 1
      serve()
    }
  }

  function serve() {
    for (;;) {
      const waiter = waiters.find(({ caller }) => caller === 'checkout') ?? waiters[0]
      if (!waiter || !isFree(waiter.caller)) return
      waiters.splice(waiters.indexOf(waiter), 1)
      waiter.give()
    }
  }

  return {
    async take(caller, patienceMs) {
      if (isFree(caller)) return occupy(caller)
      const waiting = waiters.filter((waiter) => waiter.caller === caller).length
      if (patienceMs <= 0 || waiting >= count) throw busy(1_000)
      const { promise, resolve, reject } = Promise.withResolvers<Release>()
      const waiter: Waiter = {
        caller,
        give() {
          clearTimeout(timer)
          resolve(occupy(caller))
        },
      }
      const timer = setTimeout(() => {
        waiters.splice(waiters.indexOf(waiter), 1)
        reject(busy(1_000))
      }, patienceMs)
      waiters.push(waiter)
      return promise
    },
  }
}

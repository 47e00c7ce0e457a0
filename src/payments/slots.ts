import { createFairQueue } from '../async/fairQueue.ts'
import { busy } from './busy.ts'

/** Gives a slot back. Calling it again does nothing. */
export type Release = () => void

export interface Slots {
  /**
   * Takes a slot, and waits for one for up to `patienceMs` milliseconds. Throws ProviderBusy where none comes free, and
   * where too many callers wait: at once where its event has its even share of them, else when an event with less comes.
   *
   * Jobs leave the last slots to checkouts, whose fans wait. Of either, events are served in rotation.
   */
  take(caller: Caller, eventId: string, patienceMs: number): Promise<Release>
}

export type Caller = 'checkout' | 'job'

interface Waiter {
  give(): void
  refuse(): void
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
  const waiting = { checkout: createFairQueue<Waiter>(), job: createFairQueue<Waiter>() }

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
    for (const caller of ['checkout', 'job'] as const)
      while (waiting[caller].size > 0 && isFree(caller)) waiting[caller].shift()?.give()
  }

  function hasRoom(caller: Caller, eventId: string): boolean {
    if (waiting[caller].size < count) return true
    const displaced = waiting[caller].displace(eventId)
    displaced?.refuse()
    return displaced !== undefined
  }

  return {
    async take(caller, eventId, patienceMs) {
      if (isFree(caller)) return occupy(caller)
      if (patienceMs <= 0 || !hasRoom(caller, eventId)) throw busy(1_000)
      const { promise, resolve, reject } = Promise.withResolvers<Release>()
      const waiter: Waiter = {
        give() {
          clearTimeout(timer)
          resolve(occupy(caller))
        },
        refuse() {
          clearTimeout(timer)
          reject(busy(1_000))
        },
      }
      const timer = setTimeout(() => {
        waiting[caller].remove(eventId, waiter)
        waiter.refuse()
      }, patienceMs)
      waiting[caller].push(eventId, waiter)
      return promise
    },
  }
}

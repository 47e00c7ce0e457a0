import { setTimeout as sleep } from 'node:timers/promises'
import { createFairQueue } from '../async/fairQueue.ts'
import { busy } from './busy.ts'
import type { TakePermit } from './limiter.ts'
import type { Caller } from './slots.ts'

/** The calls of one process that wait for a permit of a provider's limit. */
export interface PermitLine {
  /** Takes a permit where one is free and no call waits. Otherwise returns false. */
  takeFree(): Promise<boolean>
  /**
   * Takes a permit, and waits for one for up to `patienceMs` milliseconds. Throws ProviderBusy where none comes free by then,
   * and what the limiter throws. The checkouts and the jobs of each event have a line of their own, and the lines are served in
   * rotation.
   */
  take(caller: Caller, eventId: string, patienceMs: number): Promise<void>
  /** Refuses every call that waits, with ProviderBusy. */
  refuseAll(ms: number): void
}

interface Waiter {
  readonly line: string
  /** By performance.now(). */
  readonly deadline: number
  end(error?: unknown): void
}

/**
 * One call of a process at a time asks for a permit: calls that all tried again by themselves would share the permits by
 * chance, so the crowd of one event would take nearly all of them.
 */
export function createPermitLine(takePermit: TakePermit): PermitLine {
  const lines = createFairQueue<Waiter>()
  const waiting = new Set<Waiter>()
  let isServing = false

  function remove(waiter: Waiter) {
    waiting.delete(waiter)
    lines.remove(waiter.line, waiter)
  }

  function refuse(waiter: Waiter, error: unknown) {
    remove(waiter)
    waiter.end(error)
  }

  function giveToNext() {
    const next = lines.shift()
    if (!next) return
    waiting.delete(next)
    next.end()
  }

  async function serve() {
    if (isServing) return
    isServing = true
    while (waiting.size > 0) {
      try {
        const wait = await takePermit()
        if (wait === 0) giveToNext()
        else await pause(wait)
      } catch (error) {
        for (const waiter of waiting) refuse(waiter, error)
      }
    }
    isServing = false
  }

  /** Refuses the calls that would give up before the next permit is free, and waits for it with the others. */
  async function pause(wait: number) {
    const freeAt = performance.now() + wait
    for (const waiter of waiting) if (waiter.deadline < freeAt) refuse(waiter, busy(wait))
    // The jitter keeps processes from coming back at the same moment.
    if (waiting.size > 0) await sleep(wait + Math.random() * 20)
  }

  return {
    async takeFree() {
      return waiting.size === 0 && (await takePermit()) === 0
    },

    take(caller, eventId, patienceMs) {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const timer = setTimeout(() => refuse(waiter, busy(patienceMs)), patienceMs)
      const waiter: Waiter = {
        line: `${caller} ${eventId}`,
        deadline: performance.now() + patienceMs,
        end(error) {
          clearTimeout(timer)
          if (error === undefined) resolve()
          else reject(error)
        },
      }
      waiting.add(waiter)
      lines.push(waiter.line, waiter)
      void serve()
      return promise
    },

    refuseAll(ms) {
      for (const waiter of waiting) refuse(waiter, busy(ms))
    },
  }
}

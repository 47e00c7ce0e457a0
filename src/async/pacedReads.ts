import { setTimeout as sleep } from 'node:timers/promises'
import type { SharedReads } from './sharedReads.ts'

/**
 * Shared reads with a rest of `restMs` after each read of a key: for reads that any caller can cause, and that cost a call to
 * another service. A caller that comes while a read runs, or in the rest after it, shares the next read with all the others.
 */
export function createPacedReads<T>(restMs: number): SharedReads<T> {
  const readings = new Map<string, { readonly isRested: Promise<void>; next?: Promise<T> }>()

  function start(key: string, read: () => Promise<T>): Promise<T> {
    const running = read()
    const rest = () => sleep(restMs, undefined, { ref: false })
    const reading: { readonly isRested: Promise<void>; next?: Promise<T> } = {
      isRested: running.then(rest, rest),
    }
    readings.set(key, reading)
    void reading.isRested.then(() => {
      if (!reading.next) readings.delete(key)
    })
    return running
  }

  return {
    read(key, read) {
      const reading = readings.get(key)
      if (!reading) return start(key, read)
      reading.next ??= reading.isRested.then(() => start(key, read))
      return reading.next
    },
  }
}

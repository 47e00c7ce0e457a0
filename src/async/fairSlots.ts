import { createFairQueue } from './fairQueue.ts'

/** A fixed number of slots. The keys that wait for one get them in rotation. */
export interface FairSlots {
  /** Takes a slot: at once, without a promise, where one is free. */
  take(key: string): Promise<void> | undefined
  /** Gives a slot back, to the next key that waits. */
  give(): void
}

export function createFairSlots(count: number): FairSlots {
  const waiting = createFairQueue<() => void>()
  let free = count
  return {
    take(key) {
      if (free > 0) return void free--
      return new Promise((resolve) => waiting.push(key, resolve))
    },
    give() {
      const next = waiting.shift()
      if (next) next()
      else free++
    },
  }
}

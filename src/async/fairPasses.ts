import { createFairQueue } from './fairQueue.ts'

/** Slices of work, some in each pass of the event loop. The keys that wait get theirs in rotation. */
export interface FairPasses {
  /** Returns undefined where a slice of `size` pieces of work may run now; otherwise a promise of that moment. */
  next(key: string, size: number): Promise<void> | undefined
}

interface Slice {
  readonly size: number
  begin(): void
}

/** In each pass slices begin until they have `piecesAPass` pieces together, or more with the last one. */
export function createFairPasses(piecesAPass: number): FairPasses {
  const waiting = createFairQueue<Slice>()
  let left = piecesAPass
  let isScheduled = false

  function schedule() {
    if (isScheduled) return
    isScheduled = true
    setImmediate(beginPass)
  }

  function beginPass() {
    isScheduled = false
    left = piecesAPass
    if (waiting.size > 0) schedule()
    while (left > 0) {
      const slice = waiting.shift()
      if (!slice) return
      left -= slice.size
      slice.begin()
    }
  }

  return {
    next(key, size) {
      schedule()
      if (left > 0 && waiting.size === 0) {
        left -= size
        return undefined
      }
      return new Promise((resolve) => waiting.push(key, { size, begin: resolve }))
    },
  }
}

/*
 * Every way to yield to the event loop, so that long work does not delay everything else that the process serves.
 *
 *  - yieldToEventLoop: a long loop gives way now and then.
 *  - runInSlices: many short steps, a slice of them in each pass of the loop.
 *  - createStaggeredResume: a crowd that awaited one promise goes on a few at a time.
 *  - createBatchedWork: callbacks that were woken together run a few at a time, each of them once.
 *  - fairPasses.ts: slices of work for many keys, in rotation.
 */
import { createFairQueue } from './fairQueue.ts'

export { setImmediate as yieldToEventLoop } from 'node:timers/promises'

/** The time of the steps in one pass of the event loop: some twenty joins' worth. */
const SLICE_MS = 2

/**
 * Steps that run side by side, with their continuations. A processor does the same thing for eight requests faster than
 * everything for one request after another, with system calls in between (`bench/poll.ts`).
 */
const SIDE_BY_SIDE = 8

/** Repeats `step` until it returns false, a slice of steps in each pass of the event loop. The first slice begins now. */
export function runInSlices(step: () => boolean): void {
  let endsAt = 0
  function begin() {
    endsAt = performance.now() + SLICE_MS
    next()
  }
  function next() {
    for (let taken = 0; taken < SIDE_BY_SIDE; taken++) if (!step()) return
    // A tick that a microtask requests comes after all microtasks: so the continuations of these steps are done.
    queueMicrotask(() => process.nextTick(goOn))
  }
  function goOn() {
    if (performance.now() < endsAt) next()
    else setImmediate(begin)
  }
  begin()
}

/**
 * Returns a function that each member of a crowd awaits after a promise that all of them awaited. Some members go on in each
 * pass of the event loop, in the order in which they came. Without it all of them go on in one run of microtasks, during
 * which the process serves nothing else.
 */
export function createStaggeredResume(): () => Promise<void> {
  let waiting: (() => void)[] = []
  let next = 0

  /** False when the last one has gone on. */
  function resumeOne(): boolean {
    waiting[next++]?.()
    if (next < waiting.length) return true
    waiting = []
    next = 0
    return false
  }

  return () =>
    new Promise((resolve) => {
      if (waiting.push(resolve) === 1) setImmediate(runInSlices, resumeOne)
    })
}

export interface BatchedWork {
  /** Runs `work` soon, and once, however often it is scheduled until then. The keys whose work waits take turns. */
  schedule(key: string, work: () => void): void
}

/**
 * So many positions take well under 50 ms, the longest time for which a serving process may block (`bench/draw.ts`).
 */
const BATCH = 50

/**
 * Runs scheduled work a few pieces at a time. At the opening, for example, each socket of a process reads its new place: all
 * at once they would block the event loop for a second.
 */
export function createBatchedWork(): BatchedWork {
  const lines = createFairQueue<() => void>()
  const scheduled = new Set<() => void>()
  let isRunning = false

  function runBatch() {
    for (let left = BATCH; left > 0; left--) {
      const work = lines.shift()
      if (!work) break
      scheduled.delete(work)
      work()
    }
    isRunning = lines.size > 0
    if (isRunning) setImmediate(runBatch)
  }

  return {
    schedule(key, work) {
      if (scheduled.has(work)) return
      scheduled.add(work)
      lines.push(key, work)
      if (isRunning) return
      isRunning = true
      setImmediate(runBatch)
    },
  }
}

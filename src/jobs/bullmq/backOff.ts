/** More errors than this within a second come from a loop: BullMQ waits after lost connections, and after no other error. */
const MOST_A_SECOND = 10
const FIRST_MS = 1_000
const LONGEST_MS = 10_000

/** The part of BullMQ's worker that is paused. */
export interface Pausable {
  pause(doNotWaitActive: boolean): Promise<void>
  resume(): void
  isRunning(): boolean
}

/**
 * Returns a function to call at each error of a worker. It pauses a worker whose errors follow each other without a pause: for one
 * second, then for twice as long each time, up to ten seconds. After ten seconds without such errors it begins again.
 *
 * @param mayResume false: the worker stops, or was replaced
 */
export function createBackOff(worker: Pausable, mayResume: () => boolean): () => void {
  let waitMs = FIRST_MS
  let windowSince = Number.NEGATIVE_INFINITY
  let errors = 0
  let isPaused = false
  let resumedAt = Number.NEGATIVE_INFINITY

  function resume() {
    if (!mayResume()) return
    // The old loop has not ended yet: a worker runs one at a time.
    if (worker.isRunning()) return void setTimeout(resume, 20).unref()
    isPaused = false
    resumedAt = performance.now()
    worker.resume()
  }

  return () => {
    const now = performance.now()
    if (now - windowSince > 1_000) {
      windowSince = now
      errors = 0
    }
    if (isPaused || ++errors <= MOST_A_SECOND) return
    if (now - resumedAt > LONGEST_MS) waitMs = FIRST_MS
    isPaused = true
    void worker.pause(true)
    setTimeout(resume, waitMs).unref()
    waitMs = Math.min(2 * waitMs, LONGEST_MS)
  }
}

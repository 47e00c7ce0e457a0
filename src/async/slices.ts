/** What a turn of the event loop may take of others' time: some twenty joins' worth. */
const SLICE_MS = 2
/**
 * Steps that are taken at once, with their continuations side by side: a processor does the same for eight sooner than it does
 * everything for each, with system calls in between. A poll took 67 µs of the server's time one by one, 56 by eight and 61 by
 * thirty-two; 85 where each began as soon as it had arrived.
 */
const AT_ONCE = 8

/**
 * Runs `step` again and again until it answers false: for a slice of each turn of the event loop, with all that a step sets
 * off at once, so that whatever else arrives is served in between. The first slice begins now.
 */
export function runInSlices(step: () => boolean): void {
  let endsAt = 0
  function begin() {
    endsAt = performance.now() + SLICE_MS
    next()
  }
  function next() {
    for (let taken = 0; taken < AT_ONCE; taken++) if (!step()) return
    // A tick that a microtask asks for comes when all microtasks are done, and so is what these steps resolved.
    queueMicrotask(() => process.nextTick(goOn))
  }
  function goOn() {
    if (performance.now() < endsAt) next()
    else setImmediate(begin)
  }
  begin()
}

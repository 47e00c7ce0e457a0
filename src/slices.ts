/** What a turn of the event loop may take of others' time: some twenty joins' worth. */
export const SLICE_MS = 2
/** Where others take the processor, a slice may be over as soon as it begins: then it goes on for so many steps. */
const FEWEST = 8

/**
 * Runs `step` again and again until it answers false: for a slice of each turn of the event loop, with all that a step sets
 * off at once, so that whatever else arrives is served in between. The first slice begins now.
 */
export function inSlices(step: () => boolean): void {
  let endsAt = 0
  let steps = 0
  function begin() {
    endsAt = performance.now() + SLICE_MS
    steps = 0
    next()
  }
  function next() {
    if (!step()) return
    // A tick that a microtask asks for comes when all microtasks are done, and so is what this step resolved.
    if (++steps < FEWEST || performance.now() < endsAt) queueMicrotask(() => process.nextTick(next))
    else setImmediate(begin)
  }
  begin()
}

/** Lets everybody who is woken at the same moment go in turn. */
export interface Turns {
  /** Does `work` soon, once, however often it is asked for until then. */
  take(work: () => void): void
}

/**
 * How many go together. What one position costs, from the wake to the socket, is 0.1 to 0.2 ms, and nothing that
 * serves may stand still for over 50 ms.
 */
const TOGETHER = 50

/**
 * At the opening every socket of a process hears of its place. All at once they would keep the event loop for a
 * second; so a few go at a time, and whatever else has come meanwhile is served in between.
 */
export function createBatchedWork(): Turns {
  const waiting = new Set<() => void>()
  let going = false

  function go() {
    let left = TOGETHER
    for (const work of waiting) {
      waiting.delete(work)
      work()
      if (--left === 0) break
    }
    going = waiting.size > 0
    if (going) setImmediate(go)
  }

  return {
    take(work) {
      waiting.add(work)
      if (going) return
      going = true
      setImmediate(go)
    },
  }
}

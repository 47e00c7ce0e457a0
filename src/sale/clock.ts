import { inForeground } from '../async/background.ts'
import { andThen, type MaybePromise } from '../async/maybePromise.ts'
import { singleFlight } from '../async/singleFlight.ts'
import { readClock } from '../sql/database/clock.ts'
import type { Database } from '../sql/database/database.ts'

/** The database's clock, computed by this process. The machine's own clock may be an hour off without any effect. */
export interface Clock {
  /** Throws until the database was reached once. */
  now(): MaybePromise<Date>
  /** Returns the database's time at an instant of performance.now(). Throws until the database was reached once. */
  at(instant: number): MaybePromise<Date>
  /** For callers that may not wait: until the database was reached once, this machine's time. */
  estimate(): Date
}

/** A monotonic clock drifts by far less than a millisecond in this time. */
const KEPT_MS = 10_000

export function createClock(db: Database): Clock {
  let known: { offset: number; readAt: number } | undefined

  const read = singleFlight(async () => {
    const before = performance.now()
    // A wait in the background's line would make the clock late.
    const now = await inForeground(() => readClock(db))
    const after = performance.now()
    known = { offset: now.getTime() - (before + after) / 2, readAt: after }
  })

  function refresh() {
    if (!known || performance.now() - known.readAt > KEPT_MS) read().catch(() => {})
  }

  function offset(): MaybePromise<number> {
    if (!known) return read().then(offset)
    refresh()
    return known.offset
  }

  return {
    now: () => andThen(offset(), (ms) => new Date(ms + performance.now())),
    at: (instant) => andThen(offset(), (ms) => new Date(ms + instant)),
    estimate() {
      refresh()
      return new Date(known ? known.offset + performance.now() : Date.now())
    },
  }
}

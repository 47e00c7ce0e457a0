import { inForeground } from '../async/background.ts'
import { singleFlight } from '../async/singleFlight.ts'
import { readClock } from '../sql/database/clock.ts'
import type { Database } from '../sql/database/database.ts'

/** The database's clock, computed by this process. The machine's own clock may be an hour off without any effect. */
export interface Clock {
  /** Throws until the database was reached once. */
  now(): Promise<Date>
  /** Returns `now` without a promise. Until the database was reached once, by the machine's own clock. */
  known(): Date
  /** Returns the database's time at an instant of performance.now(). Throws until the database was reached once. */
  at(instant: number): Promise<Date>
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

  async function offset(): Promise<number> {
    if (!known) await read()
    else refresh()
    return (known as { offset: number }).offset
  }

  return {
    known() {
      refresh()
      return new Date(known ? known.offset + performance.now() : Date.now())
    },
    now: async () => new Date((await offset()) + performance.now()),
    at: async (instant) => new Date((await offset()) + instant),
  }
}

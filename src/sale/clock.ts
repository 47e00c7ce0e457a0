import { singleFlight } from '../async/singleFlight.ts'
import { readClock } from '../sql/clock.ts'
import type { Database } from '../sql/database.ts'

/** The database's clock, as this process reckons it: the machine's own may be an hour off, and nothing changes. */
export interface Clock {
  /** Throws where the database was never reached. */
  now(): Promise<Date>
  /** As `now`, without waiting; by the machine's own clock as long as the database was never reached. */
  known(): Date
  /** What it showed when this process's own was at `instant`, as performance.now() tells it. Throws likewise. */
  at(instant: number): Promise<Date>
}

/** A monotonic clock drifts by far less than a millisecond in this time. */
const KEPT_MS = 10_000

export function createClock(db: Database): Clock {
  let known: { offset: number; readAt: number } | undefined

  const read = singleFlight(async () => {
    const before = performance.now()
    const now = await readClock(db)
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

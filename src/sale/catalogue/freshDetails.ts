import type { MaybePromise } from '../../async/maybePromise.ts'
import { createSingleFlights } from '../../async/singleFlight.ts'
import type { EventDetails } from '../../sql/events/eventDetails.ts'
import type { EventRow } from '../../sql/plans.ts'

/** An event in use shows a change of its details within this time. */
const READ_AGAIN_MS = 2_000
/** An event that was not in use for so long is read before it is served. */
const STALE_MS = 30_000

/** An event in memory. */
export interface KeptEvent<Event extends EventRow> {
  event: Event
  readAt: number
  /** The reads that began, and the last of them whose details are here: an earlier one that ends later is dropped. */
  reads: number
  applied: number
}

/**
 * Keeps the few parts of an event that may change as the database has them: the plan stays in memory, and the details are read
 * again while the event is in use. While the database is away, the event is served as it was last seen.
 */
export function createFreshDetails<Event extends EventRow>(
  read: (eventId: string) => Promise<EventDetails | null>,
  now = () => performance.now(),
) {
  const reading = createSingleFlights<void>()

  async function readAgain(kept: KeptEvent<Event>) {
    // Set first: while the database is away, one read at a time is enough.
    kept.readAt = now()
    const no = ++kept.reads
    const details = await read(kept.event.id)
    if (!details || no < kept.applied) return
    kept.applied = no
    const { name, performers, venueName, venueCity, appearance = null } = kept.event
    const known: EventDetails = { name, performers, venueName, venueCity, appearance }
    // The event stays the same object where nothing has changed.
    if (JSON.stringify(details) !== JSON.stringify(known)) kept.event = { ...kept.event, ...details }
  }

  return {
    keep: (event: Event): KeptEvent<Event> => ({ event, readAt: now(), reads: 0, applied: 0 }),
    /** The event, at once unless it is stale. */
    current(kept: KeptEvent<Event>): MaybePromise<Event> {
      const age = now() - kept.readAt
      if (age < READ_AGAIN_MS) return kept.event
      const done = reading.run(kept.event.id, () => readAgain(kept)).catch(() => {})
      return age < STALE_MS ? kept.event : done.then(() => kept.event)
    },
    /** Reads the details now: for a caller that has just changed them. */
    refresh: (kept: KeptEvent<Event>): Promise<void> => readAgain(kept),
  }
}

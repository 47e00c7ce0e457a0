import { z } from 'zod'
import { eventsWithHoldsToTidy } from '../sql/holds.ts'
import { definePeriodic } from './kit.ts'

/**
 * The sweeper. It only tidies: the seats of an expired hold can be held again without it. The map and the counts show
 * them as available once they are swept. Holds outlive their sale by some minutes: the slow round is for those.
 */
export const expireHolds = definePeriodic({
  name: 'expireHolds',
  /** Null: all events that are not on sale. */
  data: z.strictObject({ eventId: z.string().nullable() }),
  concurrency: 16,
  subject: ({ eventId }) => eventId ?? 'others',
  schedules: (active) => [
    ...active.map((eventId) => ({ everyMs: 2_000, data: { eventId } })),
    { everyMs: 60_000, data: { eventId: null } },
  ],
  async run(app, { eventId }) {
    if (eventId !== null) {
      await app.holds.sweep(eventId)
      return
    }
    for (const other of await eventsWithHoldsToTidy(app.db)) await app.holds.sweep(other)
  },
})

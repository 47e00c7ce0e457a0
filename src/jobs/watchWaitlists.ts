import { z } from 'zod'
import { eventsWithWaitlist } from '../sql/waitlist.ts'
import { definePeriodic } from './kit.ts'

/**
 * Looks after every waitlist, whatever became of what the outbox told: a nudge for an event that is being looked at is
 * dropped, and nobody tells that a pause is over.
 */
export const watchWaitlists = definePeriodic({
  name: 'watchWaitlists',
  data: z.strictObject({}),
  concurrency: 1,
  subject: () => 'all',
  schedules: () => [{ everyMs: 2_000, data: {} }],
  async run(app) {
    for (const eventId of await eventsWithWaitlist(app.db)) {
      // One event's trouble is not the others'.
      await app.waitlist
        .offer(eventId)
        .catch((error) => app.log.warn({ err: error, eventId }, 'the waitlist was not looked after'))
    }
  },
})

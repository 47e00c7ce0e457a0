import { z } from 'zod'
import { eventsWithWaitlist } from '../sql/waitlist.ts'
import { definePeriodic } from './kit.ts'

/**
 * Offers free seats to every waitlist, in addition to the jobs from the outbox. Such a job is dropped while another one
 * for the event runs, and the end of a pause creates no job.
 */
export const watchWaitlists = definePeriodic({
  name: 'watchWaitlists',
  data: z.strictObject({}),
  concurrency: 1,
  subject: () => 'all',
  schedules: () => [{ everyMs: 2_000, data: {} }],
  async run(app) {
    for (const eventId of await eventsWithWaitlist(app.db)) {
      // An error in one event does not stop the others.
      await app.waitlist
        .offer(eventId)
        .catch((error) => app.log.warn({ err: error, eventId }, 'the offers of the waitlist failed'))
    }
  },
})

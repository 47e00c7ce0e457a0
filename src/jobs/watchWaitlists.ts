import { eventsWithWaitlist } from '../sql/waitlist.ts'
import { defineEventRounds } from './kit.ts'

/**
 * Offers free seats to every waitlist, in addition to the jobs from the outbox. Such a job is dropped while another one
 * for the event runs, and the end of a pause creates no job.
 */
export const watchWaitlists = defineEventRounds({
  name: 'watchWaitlists',
  everyMs: 2_000,
  // Each offer takes a connection, and locks the waitlist that it serves.
  concurrency: 4,
  find: async ({ db }) => (await eventsWithWaitlist(db)).map((eventId) => ({ eventId })),
  run: ({ waitlist }, { eventId }) => waitlist.offer(eventId),
})

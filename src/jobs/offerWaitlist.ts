import { z } from 'zod'
import { defineTask } from './kit.ts'

/** Offers an event's free seats to its waitlist, after seats came back or an offer ended. */
export const offerWaitlist = defineTask({
  name: 'offerWaitlist',
  data: z.strictObject({ eventId: z.string() }),
  concurrency: 8,
  attempts: 3,
  retryAfterMs: 500,
  subject: ({ eventId }) => eventId,
  once: false,
  run: (app, { eventId }) => app.waitlist.offer(eventId),
})

import { z } from 'zod'
import { defineTask } from './kit.ts'

/** Something came back, or an offer came to its end: the waitlist of the event is looked after. */
export const offerWaitlist = defineTask({
  name: 'offerWaitlist',
  data: z.strictObject({ eventId: z.string() }),
  concurrency: 8,
  attempts: 3,
  retryAfterMs: 500,
  subject: ({ eventId }) => eventId,
  run: (app, { eventId }) => app.waitlist.offer(eventId),
})

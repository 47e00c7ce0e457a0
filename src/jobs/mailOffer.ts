import { z } from 'zod'
import { defineTask } from './kit.ts'

/** Tells a fan by mail what the waitlist offers; an offer that is over by then is not mailed. */
export const mailOffer = defineTask({
  name: 'mailOffer',
  data: z.strictObject({ entryId: z.string() }),
  concurrency: 8,
  // The waits add up to some ten minutes: after that most offers are over.
  attempts: 10,
  retryAfterMs: 1_000,
  subject: ({ entryId }) => entryId,
  run: (app, { entryId }) => app.waitlist.mailOffer(entryId),
})

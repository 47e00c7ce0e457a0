import { z } from 'zod'
import { defineTask } from '../kit.ts'
import { failForGoodIfRefused } from './mailRefused.ts'

/** Mails an offer of the waitlist to its fan. An offer that has ended by then is not mailed. */
export const mailOffer = defineTask({
  name: 'mailOffer',
  data: z.strictObject({ entryId: z.string() }),
  concurrency: 8,
  // The waits add up to some ten minutes: by then most offers have ended.
  attempts: 10,
  retryAfterMs: 1_000,
  subject: ({ entryId }) => entryId,
  once: true,
  run: (app, { entryId }) => failForGoodIfRefused(() => app.waitlist.mailOffer(entryId)),
})

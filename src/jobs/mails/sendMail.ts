import { z } from 'zod'
import { MAIL_KINDS } from '../../sql/mails.ts'
import { defineTask, RunLater } from '../kit.ts'
import { failForGoodIfRefused } from './mailRefused.ts'

/** Longer than another run may take to send the mail. */
const TAKEN_MS = 60_000

/** Sends a mail about an order. The row in `mails` drives it: a mail that has ended is not sent again. */
export const sendMail = defineTask({
  name: 'sendMail',
  data: z.strictObject({
    orderId: z.string(),
    kind: z.enum(MAIL_KINDS),
    occasion: z.string(),
  }),
  concurrency: 8,
  // The waits add up to more than an hour: a mail server that is away comes back within that.
  attempts: 12,
  retryAfterMs: 2_000,
  once: true,
  subject: ({ orderId, kind, occasion }) => `${orderId}.${kind}.${occasion}`,
  async run(app, key) {
    if ((await failForGoodIfRefused(() => app.letters.send(key))) === 'taken') throw new RunLater(TAKEN_MS)
  },
})

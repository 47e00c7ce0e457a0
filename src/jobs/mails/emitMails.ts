import { definePeriodic } from '../kit.ts'

/** Hands mails that are due to the outbox, from which the relay picks them up. */
export const emitMails = definePeriodic({
  name: 'emitMails',
  everyMs: 1_000,
  async run(app) {
    await app.letters.emitDue()
  },
})

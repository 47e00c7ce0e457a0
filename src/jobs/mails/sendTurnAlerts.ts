import { defineEventRounds } from '../kit.ts'

/** Calls the fans in the line who requested it: about five minutes before the turn and at the turn. */
export const sendTurnAlerts = defineEventRounds({
  name: 'sendTurnAlerts',
  everyMs: 1_000,
  // Each has up to 32 messages under way, and few statements.
  concurrency: 4,
  find: async ({ alertSender }) => (await alertSender.events()).map((eventId) => ({ eventId })),
  run: ({ alertSender }, { eventId }) => alertSender.send(eventId),
})

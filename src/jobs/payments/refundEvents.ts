import { defineEventRounds } from '../kit.ts'

/** Refunds the orders of events that are called off, at the rate that ops set. */
export const refundEvents = defineEventRounds({
  name: 'refundEvents',
  everyMs: 1_000,
  concurrency: 2,
  find: (app) => app.eventRefunds.running(),
  run: (app, { eventId }) => app.eventRefunds.work(eventId),
})

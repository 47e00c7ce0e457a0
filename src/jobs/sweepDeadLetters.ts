import { z } from 'zod'
import { definePeriodic } from './kit.ts'

/** Brings table and failed sets into agreement, whichever process died between the one and the other. */
export const sweepDeadLetters = definePeriodic({
  name: 'sweepDeadLetters',
  data: z.strictObject({}),
  concurrency: 1,
  subject: () => 'all',
  schedules: () => [{ everyMs: 5_000, data: {} }],
  run: (app) => app.deadLetters.sweep(),
})

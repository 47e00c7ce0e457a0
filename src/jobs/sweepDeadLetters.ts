import { z } from 'zod'
import { definePeriodic } from './kit.ts'

/** Brings the table of dead letters and the queues' failed sets into agreement, after a process died in between. */
export const sweepDeadLetters = definePeriodic({
  name: 'sweepDeadLetters',
  data: z.strictObject({}),
  concurrency: 1,
  subject: () => 'all',
  schedules: () => [{ everyMs: 5_000, data: {} }],
  run: (app) => app.deadLetters.sweep(),
})

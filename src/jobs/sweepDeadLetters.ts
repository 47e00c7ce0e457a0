import { definePeriodic } from './kit.ts'

/** Brings the table of dead letters and the queues' failed sets into agreement, after a process died in between. */
export const sweepDeadLetters = definePeriodic({
  name: 'sweepDeadLetters',
  everyMs: 5_000,
  run: (app) => app.deadLetters.sweep(),
})

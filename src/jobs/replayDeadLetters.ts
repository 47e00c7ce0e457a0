import { z } from 'zod'
import { definePeriodic } from './kit.ts'

/** Replays the dead letters that are due: the letters of a window are spread over time. */
export const replayDeadLetters = definePeriodic({
  name: 'replayDeadLetters',
  data: z.strictObject({}),
  concurrency: 1,
  subject: () => 'all',
  schedules: () => [{ everyMs: 1_000, data: {} }],
  async run(app) {
    await app.deadLetters.replayDue()
  },
})

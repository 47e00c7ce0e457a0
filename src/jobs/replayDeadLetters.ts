import { definePeriodic } from './kit.ts'

/** Replays the dead letters that are due: the letters of a window are spread over time. */
export const replayDeadLetters = definePeriodic({
  name: 'replayDeadLetters',
  everyMs: 1_000,
  async run(app) {
    await app.deadLetters.replayDue()
  },
})

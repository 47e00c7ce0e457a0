import { z } from 'zod'
import { definePeriodic } from './kit.ts'

/** The pacer: calls the next places of one event. Its tick is a conditional update, so an extra one does nothing. */
export const callPlaces = definePeriodic({
  name: 'callPlaces',
  data: z.strictObject({ eventId: z.string() }),
  concurrency: 64,
  subject: ({ eventId }) => eventId,
  schedules: (active) => active.map((eventId) => ({ everyMs: 1_000, data: { eventId } })),
  async run(app, { eventId }) {
    await app.waitingRoom.tick(eventId)
  },
})

import { z } from 'zod'
import { definePeriodic } from './kit.ts'

/** Compares an event's map in Redis with the database, and repairs what was lost or never published. */
export const rebuildMaps = definePeriodic({
  name: 'rebuildMaps',
  data: z.strictObject({ eventId: z.string() }),
  concurrency: 8,
  subject: ({ eventId }) => eventId,
  schedules: (active) => active.map((eventId) => ({ everyMs: 2_000, data: { eventId } })),
  async run(app, { eventId }) {
    const { differed } = await app.seatMap.rebuildHot(eventId)
    if (differed > 0) app.log.debug({ eventId, differed }, 'map differed from the database')
  },
})

import { findEventsWithHolds } from '../sql/holds/endedHolds.ts'
import { readActiveSales } from '../sql/sales.ts'
import { defineEventRounds } from './kit.ts'

/** Compares the events' maps in Redis with the database, and repairs what was lost or never published. */
export const rebuildMaps = defineEventRounds({
  name: 'rebuildMaps',
  everyMs: 2_000,
  concurrency: 8,
  async find({ db, seatMap }) {
    const [active, held] = await Promise.all([readActiveSales(db), findEventsWithHolds(db)])
    const eventIds = await seatMap.toCompare(
      active,
      held.map(({ eventId }) => eventId),
    )
    return eventIds.map((eventId) => ({ eventId }))
  },
  async run(app, { eventId }) {
    const { differed } = await app.seatMap.rebuildHot(eventId)
    if (differed > 0) app.log.debug({ eventId, differed }, 'map differed from the database')
  },
})

import { readOverSales } from '../sql/sales.ts'
import { defineEventRounds } from './kit.ts'

/**
 * Removes the maps of events whose sale is over from Redis, which evicts nothing: a map takes 5 bytes a seat, for ever. A map that is
 * read after that is loaded again, and removed again.
 */
export const removeMaps = defineEventRounds({
  name: 'removeMaps',
  everyMs: 600_000,
  concurrency: 1,
  async find({ db, seatMap }) {
    const over = await readOverSales(db)
    const withMaps = over.length > 0 ? await seatMap.withMaps(over) : []
    return withMaps.map((eventId) => ({ eventId }))
  },
  run: (app, { eventId }) => app.seatMap.remove(eventId),
})

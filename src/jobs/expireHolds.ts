import { findEventsWithHolds } from '../sql/holds/endedHolds.ts'
import { defineEventRounds } from './kit.ts'

/**
 * The sweeper. It only tidies: the seats of an expired hold can be held again without it. The map and the counts show
 * them as available once they are swept. Holds outlive their sale by some minutes, so it asks for no sale.
 */
export const expireHolds = defineEventRounds({
  name: 'expireHolds',
  everyMs: 2_000,
  concurrency: 16,
  async find({ db, seatMap }) {
    const ended = (await findEventsWithHolds(db)).filter(({ hasEnded }) => hasEnded)
    // A process that dies before it has published the freed seats may leave no other trace of them.
    await seatMap.noteHolds(ended.map(({ eventId }) => eventId))
    return ended
  },
  async run({ holds }, { eventId }) {
    await holds.sweep(eventId)
  },
})

import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { definePeriodic } from './kit.ts'

/**
 * Ticks are at least 0.9 s apart. One that comes late leaves the next one early by as much, and that would be lost: in a
 * rehearsal on a busy machine one of eight seconds called nobody, and at a rate of 5 a second 4.5 were called.
 */
const AGAIN_MS = 200

/**
 * The pacer: calls the next places of one event. Its tick is a conditional update, so an extra one does nothing, and one
 * that did nothing is tried once more.
 */
export const callPlaces = definePeriodic({
  name: 'callPlaces',
  data: z.strictObject({ eventId: z.string() }),
  concurrency: 64,
  subject: ({ eventId }) => eventId,
  schedules: (active) => active.map((eventId) => ({ everyMs: 1_000, data: { eventId } })),
  async run({ pacer }, { eventId }) {
    if ((await pacer.tick(eventId)) !== null) return
    await sleep(AGAIN_MS)
    await pacer.tick(eventId)
  },
})

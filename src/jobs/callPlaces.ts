import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { definePeriodic } from './kit.ts'

/**
 * Ticks are at least 0.9 s apart. A late tick makes the next one early by the same time, and an early tick has no effect.
 * Without a second try, a busy machine calls fewer places than the rate allows.
 */
const AGAIN_MS = 200

/**
 * The pacer: calls the next places of one event. A tick is a conditional update, so an extra tick has no effect. A tick
 * without effect is tried once more.
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

import { z } from 'zod'
import { definePeriodic } from './kit.ts'

/** The settler: orders that are PAYING for too long, and settled orders whose money does not agree with them. */
export const settleOrders = definePeriodic({
  name: 'settleOrders',
  data: z.strictObject({}),
  concurrency: 1,
  subject: () => 'all',
  schedules: () => [{ everyMs: 30_000, data: {} }],
  async run(app) {
    await app.checkout.settleStuck()
    // What this writes to the outbox the relay picks up by itself.
    await app.checkout.emitAgain()
  },
})

import { definePeriodic } from '../kit.ts'

/** The settler: settles orders that are PAYING for too long, and settled orders whose money does not agree. */
export const settleOrders = definePeriodic({
  name: 'settleOrders',
  everyMs: 30_000,
  async run(app) {
    await app.checkout.settleStuck()
    // The relay picks up by itself what this writes to the outbox.
    await app.checkout.emitAgain()
  },
})

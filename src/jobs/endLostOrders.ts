import { definePeriodic } from './kit.ts'

/** Ends orders that are PAYING though other fans have taken their seats, so that their buyers are free. */
export const endLostOrders = definePeriodic({
  name: 'endLostOrders',
  everyMs: 2_000,
  async run(app) {
    // The relay picks up by itself what this writes to the outbox.
    await app.checkout.endLost()
  },
})

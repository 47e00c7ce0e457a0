import { definePeriodic } from '../kit.ts'

/**
 * Ends orders that are PAYING though other fans have taken their seats, so that their buyers are free. The seats can be taken
 * two minutes after the order's own time: prisma/functions/claim_order.sql.
 */
export const endLostOrders = definePeriodic({
  name: 'endLostOrders',
  everyMs: 2_000,
  async run(app) {
    // The relay picks up by itself what this writes to the outbox.
    await app.checkout.endLost()
  },
})

import type { Logger } from 'pino'
import type { Money } from '../../money.ts'
import { channels } from '../../redis/keys.ts'
import type { Publish } from '../../redis/publisher.ts'
import type { Database } from '../../sql/database/database.ts'
import {
  EVENT_REFUND_KEY,
  finishEventRefund,
  readEventRefund,
  readRunningEventRefunds,
  startEventRefund,
  takeOrdersToRefund,
} from '../../sql/orders/eventRefunds.ts'
import type { Account } from '../caller.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import { badInput } from '../faults.ts'
import { createInputFaults } from '../inputFaults.ts'
import { RANGES } from '../numberRanges.ts'
import type { Sales } from '../sales/sales.ts'
import type { OrderRefunds } from './refundOrder.ts'

/** The progress of an event's refund, under the names of the API's type EventRefund. */
export interface EventRefundView {
  eventId: string
  reason: string
  perSecond: number
  startedAt: Date
  finishedAt: Date | null
  refunded: number
  left: number
  refused: number
  owed: Money
  returned: Money
}

export interface EventRefundInput {
  eventId: string
  reason: string
  /** Orders refunded in a second. Default: 10. */
  perSecond?: number | null
}

export interface EventRefunds {
  /**
   * Calls an event off: ends its sale, and has every order refunded at a rate, those too that are confirmed later. A second call
   * changes the rate, and goes on where the refund had stopped. Throws BAD_USER_INPUT.
   */
  start(actor: Account, input: EventRefundInput): Promise<EventRefundView>
  /** Null where the event's refund was never started, and where there is no such event. */
  progress(eventId: string): Promise<EventRefundView | null>
  /** Events whose refund is not finished. */
  running(): Promise<{ eventId: string }[]>
  /** Refunds the next orders, those of one second. The state of the orders drives it: it goes on after a kill at any point. */
  work(eventId: string): Promise<void>
}

export interface EventRefundsDeps {
  db: Database
  catalogue: Catalogue
  sales: Pick<Sales, 'refresh'>
  refunds: OrderRefunds
  publish: Publish
  log: Logger
}

const DEFAULT_PER_SECOND = 10

export function createEventRefunds({
  db,
  catalogue,
  sales,
  refunds,
  publish,
  log,
}: EventRefundsDeps): EventRefunds {
  async function progress(eventId: string): Promise<EventRefundView | null> {
    const event = await catalogue.event(eventId)
    const found = event && (await readEventRefund(db, eventId))
    if (!found) return null
    const { accountId: _, owed, returned, ...figures } = found
    const { currency } = event
    return { ...figures, owed: { amount: owed, currency }, returned: { amount: returned, currency } }
  }

  return {
    progress,

    async start({ id: accountId }, { eventId, reason, perSecond }) {
      const faults = createInputFaults()
      faults.text(['input', 'reason'], reason)
      const rate = faults.number(
        ['input', 'perSecond'],
        perSecond ?? DEFAULT_PER_SECOND,
        RANGES.refundsPerSecond,
      )
      if (!(await catalogue.event(eventId)))
        throw badInput({ path: ['input', 'eventId'], message: 'There is no such event.' })
      faults.throwAny()
      await startEventRefund(db, { eventId, accountId, reason, perSecond: rate })
      publish(channels.sale(eventId), '')
      await sales.refresh(eventId)
      return (await progress(eventId)) as EventRefundView
    },

    running: () => readRunningEventRefunds(db),

    async work(eventId) {
      const taken = await takeOrdersToRefund(db, eventId)
      if (!taken) return
      const { refund, orderIds } = taken
      for (const orderId of orderIds) {
        await refunds
          .refundOrder(
            { id: refund.accountId },
            { orderId, reason: refund.reason, idempotencyKey: EVENT_REFUND_KEY },
          )
          // It is still confirmed, so a later round takes it again.
          .catch((error) =>
            log.error({ orderId, err: error }, 'an order of a called-off event is not refunded'),
          )
      }
      if (orderIds.length === 0 && (await finishEventRefund(db, eventId)))
        log.info({ eventId }, 'every order of the called-off event is refunded')
    },
  }
}

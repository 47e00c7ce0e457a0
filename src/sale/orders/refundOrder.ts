import { createHash } from 'node:crypto'
import type { Database } from '../../sql/database/database.ts'
import { type OrderRefundRow, refundOrder } from '../../sql/orders/orderRefunds.ts'
import type { Account } from '../caller.ts'
import { badInput, type InputFault, idempotencyKeyReused } from '../faults.ts'
import { eventOf, newId } from '../ids.ts'
import { createInputFaults } from '../inputFaults.ts'
import type { PublishOrderChange } from './orderChanges.ts'
import type { Orders, OrderView } from './orders.ts'

export interface RefundOrderInput {
  orderId: string
  /** Null: all that are left. */
  ticketIds?: readonly string[] | null
  reason: string
  idempotencyKey: string
}

export interface OrderRefunds {
  /**
   * Refunds a confirmed order, whole or by ticket: the tickets become void at once, their seats go back on sale or to the
   * waitlist, and the order is REFUND_OWED until its provider reports the money returned. The sale decides whether fees are
   * returned. An order whose last ticket is refunded is CANCELLED. A whole order whose money is not captured yet is cancelled
   * at the provider, and its buyer pays nothing.
   *
   * The same key and input return the same order, as it is now, and refund nothing more. Throws BAD_USER_INPUT, and
   * IDEMPOTENCY_KEY_REUSED where the key came with other input for the order.
   */
  refundOrder(actor: Pick<Account, 'id'>, input: RefundOrderInput): Promise<OrderView>
}

export interface OrderRefundsDeps {
  db: Database
  orders: Pick<Orders, 'findForOps'>
  publishChange: PublishOrderChange
}

/** More than any order has. */
const MOST_TICKETS = 1_000

export function createOrderRefunds({ db, orders, publishChange }: OrderRefundsDeps): OrderRefunds {
  return {
    async refundOrder(actor, input) {
      const { orderId, reason, idempotencyKey } = input
      const ticketIds = readTickets(input)
      const eventId = eventOf('ord', orderId)
      if (!eventId) throw badInput(NO_ORDER)
      const { holdId, changes, ...row } = await refundOrder(db, {
        eventId,
        orderId,
        ticketIds,
        idempotencyKey,
        inputHash: createHash('sha256')
          .update(JSON.stringify([ticketIds, reason]))
          .digest('base64url'),
        reason,
        refundId: newId('rfd', eventId),
        accountId: actor.id,
      })
      if (row.outcome === 'refunded') publishChange({ eventId, orderId, holdId, changes, outbox: true })
      else if (row.outcome === 'key_reused') throw idempotencyKeyReused()
      else if (row.outcome !== 'known') throw badInput(...faultsOf(row, ticketIds ?? []))
      const order = await orders.findForOps(orderId)
      if (!order) throw new Error(`order ${orderId} was refunded and does not exist`)
      return order
    },
  }
}

const NO_ORDER: InputFault = { path: ['input', 'orderId'], message: 'There is no such order.' }

function faultsOf(
  { outcome, state, ticketIds }: Pick<OrderRefundRow, 'outcome' | 'state' | 'ticketIds'>,
  named: readonly string[],
): InputFault[] {
  const ofTickets = (message: string) =>
    (ticketIds ?? []).map((id) => ({ path: ['input', 'ticketIds', named.indexOf(id)], message }))
  switch (outcome) {
    case 'not_confirmed':
      return [
        {
          path: ['input', 'orderId'],
          message: `The order is ${state}: it has no ticket that could be refunded.`,
        },
      ]
    case 'not_captured':
      return [
        {
          path: ['input', 'ticketIds'],
          message: 'The money is not captured yet: try again in a moment, or refund the whole order.',
        },
      ]
    case 'unknown_ticket':
      return ofTickets('is not a ticket of this order')
    case 'void_ticket':
      return ofTickets('is void already')
    default:
      return [NO_ORDER]
  }
}

/** Returns the tickets, each once and sorted, so that a retry may name them in another order; null: all that are left. */
function readTickets({ ticketIds, reason, idempotencyKey }: RefundOrderInput): string[] | null {
  const faults = createInputFaults()
  faults.text(['input', 'reason'], reason)
  faults.text(['input', 'idempotencyKey'], idempotencyKey)
  if (ticketIds && (ticketIds.length === 0 || ticketIds.length > MOST_TICKETS))
    faults.add(['input', 'ticketIds'], `must name 1 to ${MOST_TICKETS} tickets, or be null for all`)
  else for (const [i, id] of (ticketIds ?? []).entries()) faults.text(['input', 'ticketIds', i], id)
  faults.throwAny()
  return ticketIds ? [...new Set(ticketIds)].sort() : null
}

import { reconcile } from '../sdk/admin.ts'
import type { Fairgate, Reconciliation } from '../sdk/index.ts'
import { delay } from '../sdk/transport/client.ts'
import type { CrowdRecord } from './record.ts'

export interface Audit {
  before: Reconciliation
  after: Reconciliation
  /** One sentence for each fault; empty if the sale adds up. */
  faults: string[]
}

/**
 * Compares the crowd's tickets and payments with the service's reconciliation. Retries until they agree, for
 * `settleSeconds` at most: captures follow their orders, and abandoned holds expire.
 */
export async function audit(
  { client }: Fairgate,
  eventId: string,
  before: Reconciliation,
  record: CrowdRecord,
  soldOut: boolean,
  settleSeconds: number,
): Promise<Audit> {
  const end = performance.now() + settleSeconds * 1_000
  for (;;) {
    const after = await reconcile(client, eventId)
    const faults = [...ownFaults(record), ...comparedFaults(before, after, record, soldOut)]
    if (faults.length === 0 || performance.now() > end) return { before, after, faults }
    await delay(1_000)
  }
}

/** The faults in what the crowd itself received. */
function ownFaults({ orders, errors }: CrowdRecord): string[] {
  const faults = [...errors].map(
    ([message, people]) => `${people} fans stopped because of an error: ${message}`,
  )
  const owners = new Map<string, string>()
  for (const order of orders) {
    if (order.state !== 'CONFIRMED')
      faults.push(`order ${order.id} was sold and then ${order.state.toLowerCase()}`)
    if (order.tickets.length === 0) faults.push(`order ${order.id} is confirmed and has no tickets`)
    for (const { seat, id } of order.tickets) {
      if (!seat) continue
      const other = owners.get(seat.id)
      if (other) faults.push(`seat ${seat.id} was sold twice: tickets ${other} and ${id}`)
      owners.set(seat.id, id)
    }
  }
  return faults
}

function comparedFaults(
  before: Reconciliation,
  after: Reconciliation,
  { orders }: CrowdRecord,
  soldOut: boolean,
): string[] {
  const faults = after.findings.map(({ kind, subject, detail }) => `${kind} ${subject}: ${detail}`)
  if (!after.ok && after.findings.length === 0)
    faults.push('the reconciliation is not ok, but has no findings')
  const check = (wrong: boolean, sentence: string) => wrong && faults.push(sentence)

  const tickets = orders.reduce((sum, order) => sum + order.tickets.length, 0)
  const paid = orders.reduce((sum, order) => sum + order.total.amount, 0)
  const sold = after.sold - before.sold
  const confirmed = after.ordersConfirmed - before.ordersConfirmed
  const captured = after.captured.amount - before.captured.amount

  check(after.tickets !== after.sold, `${after.sold} seats are sold, but ${after.tickets} tickets exist`)
  check(
    after.available + after.held + after.sold + after.notForSale !== after.capacity,
    `available, held, sold and not for sale do not add up to ${after.capacity} seats`,
  )
  check(after.ordersPaying > 0, `${after.ordersPaying} orders are still paying`)
  check(sold < tickets, `the crowd has ${tickets} tickets, but only ${sold} seats were sold`)
  check(
    confirmed < orders.length,
    `the crowd has ${orders.length} orders, but only ${confirmed} are confirmed`,
  )
  // Other fans may buy at the same time, for example on the page. The captured sum then contains their orders too.
  check(
    confirmed === orders.length ? captured !== paid : captured < paid,
    `the crowd paid ${paid}, but ${captured} were captured (minor units)`,
  )
  check(
    soldOut && after.available + after.held > 0,
    `the sale is sold out, but ${after.available + after.held} seats are not sold`,
  )
  return faults
}

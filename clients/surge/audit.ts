import { reconcile } from '../sdk/admin.ts'
import { delay } from '../sdk/client.ts'
import type { Fairgate, Reconciliation } from '../sdk/index.ts'
import type { CrowdRecord } from './record.ts'

export interface Audit {
  before: Reconciliation
  after: Reconciliation
  /** What does not add up, a sentence each; none where all does. */
  faults: string[]
}

/** Captures follow their orders, and what was left without a word comes back: neither at once. */
const SETTLES_WITHIN_MS = 30_000

/** Compares what the crowd was given with what the service has, once it has settled or after half a minute. */
export async function audit(
  { client }: Fairgate,
  eventId: string,
  before: Reconciliation,
  record: CrowdRecord,
  held: boolean,
): Promise<Audit> {
  const end = performance.now() + SETTLES_WITHIN_MS
  for (;;) {
    const after = await reconcile(client, eventId)
    const faults = [...ownFaults(record), ...comparedFaults(before, after, record, held)]
    if (faults.length === 0 || performance.now() > end) return { before, after, faults }
    await delay(1_000)
  }
}

/** From what the crowd saw, and the tickets in its hands. */
function ownFaults({ orders, troubles }: CrowdRecord): string[] {
  const faults = [...troubles].map(([trouble, people]) => `${people} people could not go on: ${trouble}`)
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
  if (!after.ok && after.findings.length === 0) faults.push('the reconciliation is not ok, and finds nothing')
  const say = (wrong: boolean, sentence: string) => wrong && faults.push(sentence)

  const tickets = orders.reduce((sum, order) => sum + order.tickets.length, 0)
  const paid = orders.reduce((sum, order) => sum + order.total.amount, 0)
  const sold = after.sold - before.sold
  const confirmed = after.ordersConfirmed - before.ordersConfirmed
  const captured = after.captured.amount - before.captured.amount

  say(after.tickets !== after.sold, `${after.sold} seats are sold and ${after.tickets} tickets are out`)
  say(
    after.available + after.held + after.sold + after.notForSale !== after.capacity,
    `available, held, sold and not for sale do not make the ${after.capacity} seats`,
  )
  say(after.ordersPaying > 0, `${after.ordersPaying} orders are still paying`)
  say(sold < tickets, `the crowd has ${tickets} tickets and only ${sold} seats were sold`)
  say(confirmed < orders.length, `the crowd has ${orders.length} orders and only ${confirmed} are confirmed`)
  // Somebody else may buy meanwhile, on the page: with their orders among them the sum is theirs as well.
  say(
    confirmed === orders.length ? captured !== paid : captured < paid,
    `the crowd paid ${paid} and ${captured} were captured (minor units)`,
  )
  say(
    soldOut && after.available + after.held > 0,
    `sold out, and ${after.available + after.held} seats are not sold`,
  )
  return faults
}

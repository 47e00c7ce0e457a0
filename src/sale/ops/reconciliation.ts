import type { Logger } from 'pino'
import type { Money } from '../../money.ts'
import type { PaymentProvider } from '../../payments/provider.ts'
import type { Database } from '../../sql/database.ts'
import { readReconciledOrder, readReconciliation } from '../../sql/reconciliation.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import { planId } from '../ids.ts'
import type { SeatMap } from '../map/seatMap.ts'
import { compareMap } from './mapComparison.ts'
import { type Disagreement, disagreement } from './paymentComparison.ts'

export interface Finding {
  kind: string
  /** The id of the seat, ticket, hold, order, section or event that the finding is about. */
  subject: string
  detail: string
}

/** Under the names of the API's type Reconciliation. */
export interface ReconciliationView {
  eventId: string
  asOf: Date
  ok: boolean
  capacity: number
  available: number
  held: number
  sold: number
  notForSale: number
  tickets: number
  ordersConfirmed: number
  ordersPaying: number
  /** The captured amount, less refunds. */
  captured: Money
  findings: Finding[]
}

export interface Reconciliation {
  /**
   * Checks that a sale adds up: its seats, holds, tickets and orders at one moment; its orders against the payment
   * provider's records; its map against the seats. Takes some seconds. Safe at any time, also during a sale.
   *
   * An order in progress is no finding: an order that was just confirmed need not be captured yet. A source that could
   * not be read is a finding. Throws where the event does not exist or the database is away.
   */
  of(eventId: string): Promise<ReconciliationView>
}

export interface ReconciliationDeps {
  db: Database
  catalogue: Catalogue
  seatMap: Pick<SeatMap, 'section'>
  payments: Pick<PaymentProvider, 'find' | 'list'>
  log: Logger
}

export function createReconciliation({
  db,
  catalogue,
  seatMap,
  payments,
  log,
}: ReconciliationDeps): Reconciliation {
  type Snapshot = Awaited<ReturnType<typeof readReconciliation>>

  /**
   * Compares orders with the provider's records, which are read after the snapshot. An order that seems to disagree is
   * compared again, until its row does not change during the comparison.
   */
  async function paymentsOf(eventId: string, { orders }: Snapshot): Promise<Finding[]> {
    const seen = new Map(orders.map((order) => [order.id, order]))
    const unreported = new Set(seen.keys())
    const suspects: string[] = []
    for await (const { orderId, ...payment } of payments.list(eventId)) {
      unreported.delete(orderId)
      if (disagreement(seen.get(orderId) ?? null, payment)) suspects.push(orderId)
    }
    for (const id of unreported) if (disagreement(seen.get(id) ?? null, null)) suspects.push(id)

    const findings: Finding[] = []
    for (const subject of suspects.slice(0, MOST_SUSPECTS)) {
      const found = await compareAgain(eventId, subject)
      if (found) findings.push({ subject, ...found })
    }
    return findings
  }

  /** Null also for an order that changes during every comparison. */
  async function compareAgain(eventId: string, orderId: string): Promise<Disagreement | null> {
    let order = await readReconciledOrder(db, eventId, orderId)
    for (let i = 0; i < COMPARISONS; i++) {
      const payment = await payments.find(orderId)
      const after = await readReconciledOrder(db, eventId, orderId)
      if (order?.state === after?.state && order?.payment === after?.payment) {
        return disagreement(after, payment)
      }
      order = after
    }
    return null
  }

  /** Returns the findings of one source, or the finding that the source could not be read. */
  async function readSource(
    source: string,
    eventId: string,
    work: () => Promise<Finding[]>,
  ): Promise<Finding[]> {
    try {
      return await work()
    } catch (error) {
      log.warn({ err: error, eventId }, `reconciliation: ${source} could not be read`)
      return [{ kind: `${source}_NOT_READ`, subject: eventId, detail: (error as Error).message }]
    }
  }

  return {
    async of(eventId) {
      const event = await catalogue.event(eventId)
      if (!event) throw new Error(`there is no event ${eventId}`)
      const snapshot = await readReconciliation(db, eventId)
      const [money, map] = await Promise.all([
        readSource('PAYMENTS', eventId, () => paymentsOf(eventId, snapshot)),
        readSource('MAP', eventId, async () =>
          (await compareMap({ db, seatMap }, event)).map(({ section, detail }) => ({
            kind: 'MAP_DIFFERS',
            subject: section.id,
            detail,
          })),
        ),
      ])
      const found = snapshot.found.map(({ kind, seatNo, id, detail }) => ({
        kind,
        subject: id ?? planId('seat', eventId, seatNo as number),
        detail,
      }))
      const findings = [...found, ...money, ...map]
      const { captured, ...figures } = snapshot.figures
      return {
        eventId,
        ...figures,
        ok: findings.length === 0,
        captured: { amount: captured, currency: event.currency },
        findings,
      }
    },
  }
}

/** The most orders that are compared again, one by one. With more, the provider or our whole record is wrong. */
const MOST_SUSPECTS = 200
const COMPARISONS = 3

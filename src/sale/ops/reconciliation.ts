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
  /** The id of what it is about. */
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
  /** Less what was refunded. */
  captured: Money
  findings: Finding[]
}

export interface Reconciliation {
  /**
   * Whether a sale adds up: its seats, holds, tickets and orders at one moment; its orders against what the payment
   * provider says; its map against the seats. Takes some seconds; safe at any time, also in the middle of a sale.
   *
   * What is merely under way is no finding: an order that was just confirmed need not be captured yet. What could not
   * be looked at is one. Throws where there is no such event or no database.
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

  /** The provider is asked after the snapshot: what seems to disagree is looked at again, while its order stands still. */
  async function paymentsOf(eventId: string, { orders }: Snapshot): Promise<Finding[]> {
    const seen = new Map(orders.map((order) => [order.id, order]))
    const unheard = new Set(seen.keys())
    const suspects: string[] = []
    for await (const { orderId, ...payment } of payments.list(eventId)) {
      unheard.delete(orderId)
      if (disagreement(seen.get(orderId) ?? null, payment)) suspects.push(orderId)
    }
    for (const id of unheard) if (disagreement(seen.get(id) ?? null, null)) suspects.push(id)

    const findings: Finding[] = []
    for (const subject of suspects.slice(0, MOST_SUSPECTS)) {
      const found = await lookAgain(eventId, subject)
      if (found) findings.push({ subject, ...found })
    }
    return findings
  }

  /** Null also for an order that moves on whenever one looks. */
  async function lookAgain(eventId: string, orderId: string): Promise<Disagreement | null> {
    let order = await readReconciledOrder(db, eventId, orderId)
    for (let look = 0; look < LOOKS; look++) {
      const payment = await payments.find(orderId)
      const after = await readReconciledOrder(db, eventId, orderId)
      if (order?.state === after?.state && order?.payment === after?.payment) {
        return disagreement(after, payment)
      }
      order = after
    }
    return null
  }

  async function lookAt(what: string, eventId: string, work: () => Promise<Finding[]>): Promise<Finding[]> {
    try {
      return await work()
    } catch (error) {
      log.warn({ err: error, eventId }, `reconciliation: ${what} could not be read`)
      return [{ kind: `${what}_NOT_READ`, subject: eventId, detail: (error as Error).message }]
    }
  }

  return {
    async of(eventId) {
      const event = await catalogue.event(eventId)
      if (!event) throw new Error(`there is no event ${eventId}`)
      const snapshot = await readReconciliation(db, eventId)
      const [money, map] = await Promise.all([
        lookAt('PAYMENTS', eventId, () => paymentsOf(eventId, snapshot)),
        lookAt('MAP', eventId, async () =>
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

/** Asked about one by one; with more of them the provider, or our record of it, is wrong as a whole. */
const MOST_SUSPECTS = 200
const LOOKS = 3

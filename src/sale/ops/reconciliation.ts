import type { Logger } from 'pino'
import type { Money } from '../../money.ts'
import type { Payments } from '../../payments/registry.ts'
import type { Database } from '../../sql/database/database.ts'
import {
  type ReconciledOrder,
  readReconciledOrder,
  readReconciliation,
} from '../../sql/ops/reconciliation.ts'
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

/** A payment, or an order without one, that seems to disagree with the other side. */
interface Suspect {
  orderId: string | null
  provider: string
  intentId: string | null
}

export interface ReconciliationDeps {
  db: Database
  catalogue: Catalogue
  seatMap: Pick<SeatMap, 'section'>
  payments: Pick<Payments, 'all' | 'of'>
  log: Logger
}

export function createReconciliation({
  db,
  catalogue,
  seatMap,
  payments,
  log,
}: ReconciliationDeps): Reconciliation {
  /**
   * Compares a provider's orders with its records, which are read after the orders. What seems to disagree is compared again,
   * until the order's row does not change during the comparison. Throws ProviderNotConfigured.
   */
  async function paymentsOf(
    eventId: string,
    name: string,
    orders: readonly ReconciledOrder[],
  ): Promise<Finding[]> {
    const seen = new Map(orders.map((order) => [order.id, order]))
    const unreported = new Set(orders)
    const suspects: Suspect[] = []
    for await (const payment of payments.of(name).list(eventId)) {
      const { orderId, intentId } = payment
      const order = orderId === null ? undefined : seen.get(orderId)
      const own = order?.intentId === intentId ? order : null
      if (own) unreported.delete(own)
      if (disagreement(own, payment)) suspects.push({ orderId, provider: name, intentId })
    }
    for (const order of unreported) {
      if (disagreement(order, null))
        suspects.push({ orderId: order.id, provider: name, intentId: order.intentId })
    }

    const findings: Finding[] = []
    for (const suspect of suspects.slice(0, MOST_SUSPECTS)) {
      const found = await compareAgain(eventId, suspect)
      if (found) findings.push({ subject: suspect.orderId ?? (suspect.intentId as string), ...found })
    }
    return findings
  }

  /** Each provider is a source of its own, also one that only orders from before have: the others are compared without it. */
  function readPayments(eventId: string, orders: readonly ReconciledOrder[]): Promise<Finding[][]> {
    const names = new Set([
      ...payments.all.map(({ name }) => name),
      ...orders.filter(({ intentId }) => intentId !== null).map(({ provider }) => provider),
    ])
    return Promise.all(
      [...names].map((name) => {
        const own = orders.filter(({ provider }) => provider === name)
        return readSource('PAYMENTS', eventId, () => paymentsOf(eventId, name, own))
      }),
    )
  }

  /** Null also for an order that changes during every comparison. */
  async function compareAgain(
    eventId: string,
    { orderId, provider, intentId }: Suspect,
  ): Promise<Disagreement | null> {
    const read = async () => (orderId === null ? null : readReconciledOrder(db, eventId, orderId))
    let order = await read()
    for (let i = 0; i < COMPARISONS; i++) {
      const payment = intentId === null ? null : await payments.of(provider).retrieve({ eventId, intentId })
      const after = await read()
      if (order?.state === after?.state && order?.payment === after?.payment) {
        const isOwn = after?.provider === provider && after.intentId === intentId
        return disagreement(isOwn ? after : null, payment)
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
        readPayments(eventId, snapshot.orders),
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
      const findings = [...found, ...money.flat(), ...map]
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

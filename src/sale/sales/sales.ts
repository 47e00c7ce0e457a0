import { createBoundedCache } from '../../async/boundedCache.ts'
import { liveValue } from '../../async/liveValue.ts'
import { andThen, type MaybePromise } from '../../async/maybePromise.ts'
import { readActiveSales } from '../../sql/sales.ts'
import { isEventId } from '../ids.ts'
import type { Rooms } from '../room/rooms.ts'
import type { SaleView } from '../saleView.ts'
import { createSaleReplica, KEPT_MS, type SaleReplica, type SaleReplicaDeps } from './saleReplica.ts'

export interface Sales {
  /**
   * The sale, at most a second old in each process; null where there is no such event. It comes at once where this process
   * has it fresh in memory.
   *
   * While the database is away or does not answer, it is the sale as it was last seen: every fan who waits reads it, and
   * holds and payments go by the rows themselves.
   */
  find(eventId: string): MaybePromise<SaleView | null>
  /** The sale, read now: for a caller that has just changed it. Throws where it cannot be read. */
  refresh(eventId: string): Promise<SaleView | null>
  /** The sale now, then each change of it or of its waiting room; of its counts, one a second. */
  updates(eventId: string): AsyncIterableIterator<SaleView>
  /** Calls `listener` whenever settings or state change. The sale is watched while there are listeners. */
  onChange(eventId: string, listener: () => void): () => void
  /** The events whose room or sale is open: jobs run for these. */
  active(): Promise<string[]>
  close(): void
}

export interface SalesDeps extends SaleReplicaDeps {
  rooms: Pick<Rooms, 'onNews'>
}

/** Sales in memory besides those with listeners, 512 at most. */
const SALES_AT_LEAST = 256

export function createSales({ rooms, ...deps }: SalesDeps): Sales {
  const isInUse = (replica: SaleReplica) => replica.isInUse()
  const replicas = createBoundedCache<string, SaleReplica>(SALES_AT_LEAST, isInUse)
  let isClosed = false

  function replicaOf(eventId: string): SaleReplica {
    const known = replicas.get(eventId)
    if (known) return known
    const replica = createSaleReplica(eventId, deps)
    if (isClosed) replica.close()
    replicas.set(eventId, replica)
    return replica
  }

  /** Forgets what is no event, so that made-up ids take no memory. */
  function orForget(eventId: string, replica: SaleReplica, found: MaybePromise<SaleView | null>) {
    return andThen(found, (view) => {
      if (!view && !replica.isInUse() && replicas.get(eventId) === replica) replicas.delete(eventId)
      return view
    })
  }

  function find(eventId: string): MaybePromise<SaleView | null> {
    const known = replicas.get(eventId)
    if (!known && !isEventId(eventId)) return null
    const replica = known ?? replicaOf(eventId)
    return orForget(eventId, replica, replica.find())
  }

  function onChange(eventId: string, listener: () => void): () => void {
    return replicaOf(eventId).onChange(listener)
  }

  return {
    find,
    onChange,

    async refresh(eventId) {
      if (!isEventId(eventId)) return null
      const replica = replicaOf(eventId)
      return orForget(eventId, replica, replica.refresh())
    },

    updates(eventId) {
      let lastSent: string | undefined
      let roomChanges = 0
      return liveValue({
        listen(wake) {
          const stopSale = onChange(eventId, wake)
          const stopRoom = rooms.onNews(eventId, () => {
            roomChanges++
            wake()
          })
          return () => {
            stopSale()
            stopRoom()
          }
        },
        async read() {
          const view = await find(eventId)
          if (!view) return undefined
          const { asOf: _, ...counts } = view.counts
          const now = JSON.stringify({ ...view, counts, roomChanges })
          if (now === lastSent) return undefined
          lastSent = now
          return view
        },
        backstopMs: KEPT_MS,
      })
    },

    active: () => readActiveSales(deps.db),

    close() {
      isClosed = true
      for (const replica of replicas.values()) replica.close()
    },
  }
}

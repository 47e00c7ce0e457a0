import { afterCurrentWork, createGatherer } from '../../async/gather.ts'
import type { HoldView } from '../../sale/holds/holds.ts'
import type { OrderView } from '../../sale/orders/orders.ts'
import type { Context } from './context.ts'

type Load<V> = (id: string) => Promise<V | null>

interface RequestLoaders {
  readonly hold: Load<HoldView>
  readonly order: Load<OrderView>
}

const loaders = new WeakMap<Context, RequestLoaders>()

/** Returns the loaders of a request: each reads the caller's holds or orders that the response needs in one round trip. */
export function loadersOf(context: Context): RequestLoaders {
  const known = loaders.get(context)
  if (known) return known
  const { account, app } = context
  const made = {
    hold: inOneTrip(async (ids) =>
      account ? app.holds.findMany(account, ids) : new Map<string, HoldView>(),
    ),
    order: inOneTrip(async (ids) =>
      account ? app.orders.findMany(account, ids) : new Map<string, OrderView>(),
    ),
  }
  loaders.set(context, made)
  return made
}

/**
 * Gathers ids until all work that can run now has run, then loads them together. It caches nothing: the next value of a
 * subscription reads again.
 */
function inOneTrip<V>(loadMany: (ids: string[]) => Promise<Map<string, V>>): Load<V> {
  return createGatherer<string, V | null>({
    when: afterCurrentWork,
    async send(ids) {
      const found = await loadMany([...new Set(ids)])
      return ids.map((id) => found.get(id) ?? null)
    },
  })
}

import { afterCurrentWork, createGatherer } from '../async/gather.ts'
import type { HoldView } from '../sale/holds/holds.ts'
import type { OrderView } from '../sale/orders/orders.ts'
import type { Context } from './context.ts'

type Load<V> = (id: string) => Promise<V | null>

interface Batches {
  readonly hold: Load<HoldView>
  readonly order: Load<OrderView>
}

const batches = new WeakMap<Context, Batches>()

/** The caller's hold or order; all that one answer needs are read in one round trip. */
export function load(context: Context): Batches {
  const known = batches.get(context)
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
  batches.set(context, made)
  return made
}

/**
 * Gathers what is asked for until everything that can run now has run. Nothing is remembered: the next value of a
 * subscription reads afresh.
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

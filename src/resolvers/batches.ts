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
  let gathering: { ids: Set<string>; values: Promise<Map<string, V>> } | undefined

  function begin() {
    const ids = new Set<string>()
    const values = new Promise<void>((resolve) => {
      // After the microtasks that are queued already, and those that they queue.
      Promise.resolve().then(() => process.nextTick(resolve))
    }).then(() => {
      gathering = undefined
      return loadMany([...ids])
    })
    return { ids, values }
  }

  return async (id) => {
    gathering ??= begin()
    gathering.ids.add(id)
    return (await gathering.values).get(id) ?? null
  }
}

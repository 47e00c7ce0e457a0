import type { GuardedProvider } from './guard.ts'

/** The providers of this installation. An order stores the name of its provider, and belongs to it for life. */
export interface Payments {
  /** In the order of the configuration; at least one. */
  readonly all: readonly GuardedProvider[]
  /** Takes new orders: the first provider that is not out, or the first of all where every one is out. */
  forNewOrders(): GuardedProvider
  /** Returns an order's provider. Throws ProviderNotConfigured. */
  of(name: string): GuardedProvider
}

/** An order belongs to a provider that the configuration has no more: its money waits until the provider is back. */
export class ProviderNotConfigured extends Error {
  constructor(name: string) {
    super(`the payment provider ${name} is not configured, and orders belong to it: configure it again`)
    this.name = 'ProviderNotConfigured'
  }
}

export function createRegistry(all: readonly [GuardedProvider, ...GuardedProvider[]]): Payments {
  const byName = new Map(all.map((provider) => [provider.name, provider]))
  return {
    all,
    forNewOrders: () => all.find(({ isOut }) => !isOut) ?? all[0],
    of(name) {
      const provider = byName.get(name)
      if (!provider) throw new ProviderNotConfigured(name)
      return provider
    },
  }
}

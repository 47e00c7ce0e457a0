import type { GuardedProvider } from './guard.ts'
import type { ReadWebhook } from './webhooks.ts'

/** The providers of this installation. An order stores the name of its provider, and belongs to it for life. */
export interface Payments {
  /** In the order of the configuration; at least one. */
  readonly all: readonly GuardedProvider[]
  /** Takes new orders: the first such provider that is not out, or the first of all where every one is out. */
  forNewOrders(): GuardedProvider
  /** Returns the provider of this name if it takes new orders; undefined: it does not, or is not configured. */
  takingNewOrders(name: string): GuardedProvider | undefined
  /** Returns an order's provider. Throws ProviderNotConfigured. */
  of(name: string): GuardedProvider
  /** The readers of the providers' webhooks, by the provider's name. */
  readonly webhooks: ReadonlyMap<string, ReadWebhook>
}

/** An order belongs to a provider that the configuration has no more: its money waits until the provider is back. */
export class ProviderNotConfigured extends Error {
  constructor(name: string) {
    super(`the payment provider ${name} is not configured, and orders belong to it: configure it again`)
    this.name = 'ProviderNotConfigured'
  }
}

export interface RegistryOptions {
  /** The names of the providers that take new orders, the preferred one first. Default: all. */
  forNewOrders?: readonly string[]
  webhooks?: ReadonlyMap<string, ReadWebhook>
}

export function createRegistry(
  all: readonly [GuardedProvider, ...GuardedProvider[]],
  { forNewOrders = all.map(({ name }) => name), webhooks = new Map() }: RegistryOptions = {},
): Payments {
  const byName = new Map(all.map((provider) => [provider.name, provider]))

  function of(name: string): GuardedProvider {
    const provider = byName.get(name)
    if (!provider) throw new ProviderNotConfigured(name)
    return provider
  }

  const takers = forNewOrders.map(of)
  return {
    all,
    of,
    webhooks,
    forNewOrders: () => takers.find(({ isOut }) => !isOut) ?? (takers[0] as GuardedProvider),
    takingNewOrders: (name) => takers.find((provider) => provider.name === name),
  }
}

import { BOUNDS } from './bounds.ts'

export type SocketRefusal = 'address' | 'storm' | 'all'

/** Counts the open sockets, and bounds them by address, by account and in all. */
export interface OpenSockets {
  /** Returns why a client of this address may not open a socket now; null where it may. A null address has no bound. */
  refusalOf(address: string | null): SocketRefusal | null
  open(address: string | null): void
  close(address: string | null): void
  /** False where the account has too many sockets. Otherwise the caller reports the end to `leaveAccount`. */
  enterAccount(accountId: string): boolean
  leaveAccount(accountId: string): void
  /** Forgets the addresses that opened no socket lately. To be called once a second. */
  sweep(): void
}

/** @param perAddress SOCKETS_PER_ADDRESS */
export function createOpenSockets(perAddress: number): OpenSockets {
  const byAddress = createCounts()
  const byAccount = createCounts()
  /** Of each address that opened a socket lately: until when its allowance is spent, by performance.now(). */
  const spentUntil = new Map<string, number>()
  const openingMs = BOUNDS.reopenMs / perAddress
  let open = 0

  return {
    refusalOf(address) {
      if (open >= BOUNDS.sockets) return 'all'
      if (address === null) return null
      if (byAddress.of(address) >= perAddress) return 'address'
      const spent = (spentUntil.get(address) ?? 0) - performance.now()
      return spent + openingMs > BOUNDS.reopenMs ? 'storm' : null
    },
    open(address) {
      open++
      if (address === null) return
      byAddress.add(address)
      spentUntil.set(address, Math.max(spentUntil.get(address) ?? 0, performance.now()) + openingMs)
    },
    close(address) {
      open--
      if (address !== null) byAddress.remove(address)
    },
    enterAccount(accountId) {
      if (byAccount.of(accountId) >= BOUNDS.socketsOfAccount) return false
      byAccount.add(accountId)
      return true
    },
    leaveAccount: byAccount.remove,
    sweep() {
      const now = performance.now()
      for (const [address, until] of spentUntil) if (until < now) spentUntil.delete(address)
    },
  }
}

/** Numbers by key, of the keys whose number is not 0. */
function createCounts() {
  const counts = new Map<string, number>()
  return {
    of: (key: string) => counts.get(key) ?? 0,
    add(key: string) {
      counts.set(key, (counts.get(key) ?? 0) + 1)
    },
    remove(key: string) {
      const left = (counts.get(key) ?? 0) - 1
      if (left > 0) counts.set(key, left)
      else counts.delete(key)
    },
  }
}

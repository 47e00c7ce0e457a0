import { createFairShare } from '../http/limits/fairShare.ts'
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
  const byAddress = createFairShare({ perClient: perAddress, inAll: BOUNDS.sockets })
  const byAccount = createFairShare({ perClient: BOUNDS.socketsOfAccount, inAll: Number.POSITIVE_INFINITY })
  /** Of each address that opened a socket lately: until when its allowance is spent, by performance.now(). */
  const spentUntil = new Map<string, number>()
  const openingMs = BOUNDS.reopenMs / perAddress

  return {
    refusalOf(address) {
      const refusal = byAddress.refusalOf(address)
      if (refusal) return refusal === 'all' ? 'all' : 'address'
      if (address === null) return null
      const spent = (spentUntil.get(address) ?? 0) - performance.now()
      return spent + openingMs > BOUNDS.reopenMs ? 'storm' : null
    },
    open(address) {
      byAddress.enter(address)
      if (address === null) return
      spentUntil.set(address, Math.max(spentUntil.get(address) ?? 0, performance.now()) + openingMs)
    },
    close: byAddress.leave,
    enterAccount(accountId) {
      if (byAccount.refusalOf(accountId)) return false
      byAccount.enter(accountId)
      return true
    },
    leaveAccount: byAccount.leave,
    sweep() {
      const now = performance.now()
      for (const [address, until] of spentUntil) if (until < now) spentUntil.delete(address)
    },
  }
}

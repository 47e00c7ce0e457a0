import type { OrderOfEvent } from '../../../sdk/index.ts'

/** The account's orders as this device saw them last, for a door without a network. */
export interface KeptTickets {
  readonly account: string
  /** In milliseconds since 1970, by this device's clock. */
  readonly at: number
  readonly orders: readonly OrderOfEvent[]
}

const KEY = 'fairgate.tickets'

export function readKeptTickets(): KeptTickets | null {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? 'null') as KeptTickets | null
  } catch {
    return null
  }
}

/** Keeps orders of an account, each in its newest state. Another account's are deleted. */
export function keepTickets(account: string, orders: readonly OrderOfEvent[]): void {
  const kept = readKeptTickets()
  const older = kept?.account === account ? kept.orders : []
  const ids = new Set(orders.map(({ id }) => id))
  const all = [...orders, ...older.filter(({ id }) => !ids.has(id))].filter(
    ({ tickets }) => tickets.length > 0,
  )
  write({ account, at: Date.now(), orders: all })
}

/** The codes are the account's: a sign-out deletes them from the device. */
export function forgetTickets(): void {
  write(null)
}

function write(kept: KeptTickets | null) {
  try {
    if (kept) localStorage.setItem(KEY, JSON.stringify(kept))
    else localStorage.removeItem(KEY)
  } catch {
    // The browser forbids storage: the tickets need a network.
  }
}

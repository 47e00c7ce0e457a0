import { effect, type ReadonlySignal } from '@preact/signals'
import type { EventPage, OrderOfEvent } from '../../../sdk/index.ts'
import { serviceWorkerReady } from '../serviceWorker/register.ts'
import type { AccountModel } from './account.ts'
import type { Purchase } from './purchase.ts'

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

/** Calls the listener when another tab has kept or deleted tickets. Returns a function that stops it. */
export function onOtherTickets(listener: () => void): () => void {
  const follow = ({ key }: StorageEvent) => {
    if (key === KEY) listener()
  }
  addEventListener('storage', follow)
  return () => removeEventListener('storage', follow)
}

interface Watched {
  readonly event: ReadonlySignal<EventPage | null>
  readonly account: AccountModel
  readonly purchase: Purchase
}

/** Keeps the tickets of an event's page, and every change of them. */
export function keepTicketsOf({ event, account, purchase }: Watched): void {
  effect(() => {
    const [of, name, orders] = [event.value, account.name.value, purchase.orders.value]
    if (!of || !name || !orders.some(({ tickets }) => tickets.length > 0)) return
    const { id, slug, name: title, startsAt, timeZone, venue } = of
    keepTickets(
      name,
      orders.map((order) => ({ ...order, event: { id, slug, name: title, startsAt, timeZone, venue } })),
    )
  })
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
  if (all.length > 0) void serviceWorkerReady()
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

import { type Solve, solveAltcha } from './challenge.ts'
import { type Checkout, createCheckout } from './checkout.ts'
import { type Client, createClient } from './client.ts'
import { type Clock, createClock } from './clock.ts'
import { createHolds, type Holds } from './holds.ts'
import { createLink, type Link } from './link.ts'
import { createLive, type Live } from './live.ts'
import { createSales, type Sales } from './sales.ts'
import { createSeatMap, type SeatMap } from './seatMap.ts'
import type { Session } from './session.ts'
import { createWaitingRoom, type WaitingRoom } from './waitingRoom.ts'
import { createWaitlist, type Waitlist } from './waitlist.ts'

/** Everything that one person's client needs, from the waiting room to the ticket. */
export interface Fairgate {
  readonly session: Session
  readonly client: Client
  readonly live: Live
  readonly link: Link
  readonly clock: Clock
  readonly sales: Sales
  readonly waitingRoom: WaitingRoom
  readonly seatMap: SeatMap
  readonly holds: Holds
  readonly checkout: Checkout
  readonly waitlist: Waitlist
  close(): void
}

export interface FairgateOptions {
  /** Where the service is, such as https://tickets.example.com. */
  url: string
  /**
   * Where the waiting room is, if it has servers of its own, such as https://tickets.example.com/room: whoever waits asks
   * nothing of the others. Default: the same.
   */
  roomUrl?: string
  session: Session
  /** An implementation of WebSocket; default: the platform's. */
  webSocket?: unknown
  /** An implementation of fetch; default: the platform's. */
  fetch?: typeof fetch
  /** Solves the challenges of a sale; default: ALTCHA's proof of work. For another verifier's, such as its widget. */
  solve?: Solve
  /** Called with how long each answer over HTTP took, by the operation's name. */
  timed?: (operation: string, milliseconds: number) => void
}

export function createFairgate({
  url,
  roomUrl = url,
  session,
  webSocket,
  fetch,
  solve = solveAltcha,
  timed,
}: FairgateOptions): Fairgate {
  const link = createLink()
  const clock = createClock()
  const client = createClient({ url, session, link, fetch, timed })
  const live = createLive({ url, session, link, webSocket })
  const deps = { client, live, session, clock }
  const roomLive = roomUrl === url ? live : createLive({ url: roomUrl, session, link, webSocket })
  const roomClient = roomUrl === url ? client : createClient({ url: roomUrl, session, link, fetch, timed })
  const room = { ...deps, client: roomClient, live: roomLive }
  return {
    session,
    client,
    live,
    link,
    clock,
    sales: createSales(room),
    waitingRoom: createWaitingRoom({ ...room, booking: live, solve }),
    seatMap: createSeatMap(deps),
    holds: createHolds(deps),
    checkout: createCheckout(deps),
    waitlist: createWaitlist(deps),
    close() {
      for (const socket of new Set([live, roomLive])) socket.close()
    },
  }
}

export { type Solve, solveAltcha } from './challenge.ts'
export type { Paid } from './checkout.ts'
export * from './errors.ts'
export * from './money.ts'
export { sandboxToken } from './sandbox.ts'
export type * from './schema.ts'
export type { SectionNow } from './seatMap.ts'
export { memorySession, randomId, type Session, storedSession } from './session.ts'
export * from './statuses.ts'

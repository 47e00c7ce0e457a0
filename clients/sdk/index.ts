import { type Solve, solveAltcha } from './challenge/challenge.ts'
import { type Checkout, createCheckout } from './checkout.ts'
import { createHolds, type Holds } from './holds.ts'
import { createSales, type Sales } from './sales.ts'
import { createSeatMap, type SeatMap } from './seatMap.ts'
import type { Session } from './session.ts'
import { type Client, createClient } from './transport/client.ts'
import { type Clock, createClock } from './transport/clock.ts'
import { type Connectivity, createConnectivity } from './transport/connectivity.ts'
import { createSocket, type Socket } from './transport/socket.ts'
import { createWaitingRoom, type WaitingRoom } from './waitingRoom.ts'
import { createWaitlist, type Waitlist } from './waitlist.ts'

/** The API for one fan, from the waiting room to the ticket. */
export interface Fairgate {
  readonly session: Session
  readonly client: Client
  /** The client to the waiting room's own servers; `client` where it has none. */
  readonly roomClient: Client
  readonly socket: Socket
  readonly connectivity: Connectivity
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
  /** The address of the service, for example https://tickets.example.com. */
  url: string
  /**
   * The address of the waiting room's own servers, for example https://tickets.example.com/room. Waiting fans then send
   * nothing to the other servers. Default: `url`.
   */
  roomUrl?: string
  session: Session
  /** A WebSocket implementation. Default: the platform's. */
  webSocket?: unknown
  /** A fetch implementation. Default: the platform's. */
  fetch?: typeof fetch
  /** Solves a sale's challenge, for example with another verifier's widget. Default: ALTCHA's proof of work. */
  solve?: Solve
  /** Called with the duration of each HTTP request and the operation's name. */
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
  const connectivity = createConnectivity()
  const clock = createClock()
  const client = createClient({ url, session, connectivity, fetch, timed })
  const socket = createSocket({ url, session, connectivity, webSocket })
  const deps = { client, socket, session, clock }
  const roomSocket =
    roomUrl === url ? socket : createSocket({ url: roomUrl, session, connectivity, webSocket })
  const roomClient =
    roomUrl === url ? client : createClient({ url: roomUrl, session, connectivity, fetch, timed })
  const room = { ...deps, client: roomClient, socket: roomSocket }
  return {
    session,
    client,
    roomClient,
    socket,
    connectivity,
    clock,
    sales: createSales(room),
    waitingRoom: createWaitingRoom({ ...room, booking: socket, solve }),
    seatMap: createSeatMap(deps),
    holds: createHolds(deps),
    checkout: createCheckout(deps),
    waitlist: createWaitlist(deps),
    close() {
      for (const each of new Set([socket, roomSocket])) each.close()
    },
  }
}

export { type Solve, solveAltcha } from './challenge/challenge.ts'
export type { PaymentOutcome } from './checkout.ts'
export * from './money.ts'
export { sandboxToken } from './sandbox.ts'
export type { SectionNow } from './seatMap.ts'
export { memorySession, randomId, type Session, storedSession } from './session.ts'
export * from './statuses.ts'
export * from './transport/errors.ts'
export type * from './types.ts'

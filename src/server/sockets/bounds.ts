/** Every bound of sockets. SOCKETS_PER_ADDRESS bounds the sockets of one address (src/env.ts). */
export const BOUNDS = {
  /** Sockets of a process: ten times the 2,000 that docs/ops.md plans for a core. */
  sockets: 20_000,
  /** Sockets of one account in a process: the tabs and devices of a fan, and the dead sockets of a train ride. */
  socketsOfAccount: 50,
  /** An address may open its whole number of sockets again in this time, and as many at once: a network comes back. */
  reopenMs: 10_000,
  /** Bytes of one message. Every operation fits, except an organizer's seating plan. */
  messageBytes: 256 * 1_024,
  /** Messages that a socket may send at once: a client that reconnects leaves fifty operations and starts fifty. */
  burstMessages: 250,
  /** Milliseconds until a socket may send one more: fifty messages a second. A page sends a message now and then. */
  messageMs: 20,
  /** Bytes of the allowance's unit: a longer message counts as several. */
  weightBytes: 4_096,
  /** Operations that run at once. A page follows a section, a sale, a place, a hold and an order. */
  operations: 50,
  /** Characters of an operation's id, which every message of the operation repeats. Ids of clients have 36. */
  idLength: 200,
  /** Frames of one message. Clients send a message in one frame. Each frame takes memory until the message is whole. */
  fragments: 64,
  /** Unread bytes from which on no operation of the socket begins. Node's own bound of a connection is the same. */
  unreadBytes: 64 * 1_024,
  /** Unread bytes at which the server terminates the socket: ten of the largest answers, of 2,500 seats. */
  mostUnreadBytes: 4 * 1_024 * 1_024,
  /** Seconds in which a socket with unread bytes beyond the first bound must read `leastReadBytes`: 1.6 KB a second. */
  unreadSeconds: 10,
  leastReadBytes: 16 * 1_024,
  /** Time until the greeting. It is the default of graphql-ws, whose own timer costs as much memory as a follower. */
  greetingSeconds: 3,
  /** Each socket is pinged once in so many seconds; a ping to all sockets at once would delay every message. */
  pingSeconds: 20,
  /** Time until a closing socket is terminated. A client that is alive answers within one round trip. */
  closingMs: 1_000,
} as const

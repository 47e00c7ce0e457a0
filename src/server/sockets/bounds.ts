/** Every bound of one socket. */
export const BOUNDS = {
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
  idLength: 65_536,
  /** Time until the greeting. It is the default of graphql-ws, whose own timer costs as much memory as a follower. */
  greetingSeconds: 3,
  /** Each socket is pinged once in so many seconds; a ping to all sockets at once would delay every message. */
  pingSeconds: 20,
  /** Time until a closing socket is terminated. A client that is alive answers within one round trip. */
  closingMs: 1_000,
} as const

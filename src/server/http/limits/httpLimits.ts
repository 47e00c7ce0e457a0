/** The limits of HTTP connections, see docs/security.md. A test sets others. */
export const HTTP_LIMITS = {
  /** The time for the headers of a request, from the connection's start. A phone on a weak network needs two seconds. */
  headersTimeout: 10_000,
  /** The time for the headers and the body. An organizer's body of 32 MB needs 9 Mbit/s. */
  requestTimeout: 30_000,
  /** How often Node looks for requests that are too slow: by default only every 30 s, so that each limit was twice as long. */
  connectionsCheckingInterval: 2_000,
  /**
   * A connection with a request under way on which no byte moves for so long is closed: its client does not read. Checkout
   * answers sooner (see sale/orders/checkout.ts), and event streams ping every 12 s.
   */
  stalledTimeout: 60_000,
  /** Longer than load balancers keep connections: the server must never close a connection that is in use. */
  keepAliveTimeout: 75_000,
  /** Connections of a process; CONNECTIONS_PER_ADDRESS bounds those of one address. Sockets count apart. */
  connections: 20_000,
  /** Unread bytes of earlier answers from which on no operation of the connection begins. */
  unreadBytes: 64 * 1_024,
  /** Seconds in which a client must read `leastReadBytes`, where there are bytes for it: the same pace as of a socket. */
  unreadSeconds: 10,
  leastReadBytes: 16 * 1_024,
  /** Unread bytes of all connections. Beyond it the connections with the most of them are closed, within a second. */
  unreadBytesInAll: 256 * 1_024 * 1_024,
  /**
   * Subscriptions by server-sent events. Each of them executes and serializes every change for itself; on sockets thousands share
   * that. So event streams are for programs, and fans use sockets.
   */
  streams: 300,
  streamsOfAddress: 50,
  streamsOfAccount: 20,
  /** Node's default. */
  maxHeaderSize: 16 * 1_024,
  /** Requests of one connection that are not answered yet. Browsers and load balancers send the next one after the answer. */
  pipelined: 32,
  /** Further requests that may arrive while the refused connection closes; with more it is destroyed. */
  dropped: 1_000,
}

export type HttpLimits = typeof HTTP_LIMITS

/** The limits that Node itself keeps. */
export function nodeOptions(limits: HttpLimits) {
  const { headersTimeout, requestTimeout, connectionsCheckingInterval, keepAliveTimeout, maxHeaderSize } =
    limits
  return { headersTimeout, requestTimeout, connectionsCheckingInterval, keepAliveTimeout, maxHeaderSize }
}

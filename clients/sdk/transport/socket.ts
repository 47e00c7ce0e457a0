import { createClient } from 'graphql-ws/client'
import type { Session } from '../session.ts'
import { addressOf, backoff } from './client.ts'
import type { Connectivity } from './connectivity.ts'
import { type ApiError, ConnectionLost, toApiError, type WireError } from './errors.ts'
import type { Operation } from './operation.ts'

export interface SubscriptionObserver<Data> {
  next(data: Data): void
  /** The subscription has ended: the API refused it, or no socket can be opened. */
  error(error: ApiError | ConnectionLost): void
  /** The server ended the subscription. */
  complete(): void
}

/** One WebSocket for all subscriptions of a client. It reconnects by itself and restores the subscriptions. */
export interface Socket {
  readonly connected: boolean
  /** Calls the listener whenever `connected` changes. Returns a function that removes it. */
  onChange(listener: (connected: boolean) => void): () => void
  /** Subscribes. The server sends the current value first, so also after each reconnection. */
  subscribe<Data, Variables>(
    operation: Operation<Data, Variables>,
    variables: Variables,
    observer: SubscriptionObserver<Data>,
  ): () => void
  /** Stores an admission that came over this socket. The server already applies it to the socket. */
  admit(token: string): void
  /** Opens a new socket if the present one was opened with another account or admission. */
  renew(): void
  /** Ends all subscriptions for good and opens no socket again. */
  close(): void
}

interface SocketOptions {
  /** The address of the service. */
  url: string
  session: Session
  connectivity?: Connectivity
  /** Default: the platform's WebSocket. */
  webSocket?: unknown
}

const KEEP_ALIVE_MS = 20_000
const PONG_WITHIN_MS = 8_000

export function createSocket({ url, session, connectivity, webSocket }: SocketOptions): Socket {
  const address = addressOf(url, '/graphql')
  address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:'

  const listeners = new Set<(connected: boolean) => void>()
  let connected = false
  let deliberate = false
  let closed = false
  let presented = ''
  let pong: ReturnType<typeof setTimeout> | undefined

  const presentNow = () => `${session.accountToken} ${session.admissionToken}`
  function set(value: boolean) {
    if (value === connected) return
    connected = value
    for (const listener of listeners) listener(connected)
  }

  const client = createClient({
    url: address.href,
    ...(webSocket ? { webSocketImpl: webSocket } : {}),
    connectionParams: () => {
      presented = presentNow()
      return {
        deviceId: session.deviceId,
        ...(session.accountToken ? { authorization: `Bearer ${session.accountToken}` } : {}),
        ...(session.admissionToken ? { admissionToken: session.admissionToken } : {}),
      }
    },
    lazyCloseTimeout: 2_000,
    keepAlive: KEEP_ALIVE_MS,
    connectionAckWaitTimeout: 10_000,
    retryAttempts: Number.POSITIVE_INFINITY,
    // The library treats a refused connection as fatal. A waiting fan must retry it.
    shouldRetry: () => true,
    async retryWait(attempt) {
      if (deliberate) deliberate = false
      else await new Promise((resolve) => setTimeout(resolve, backoff(attempt + 1)))
    },
    on: {
      connected() {
        set(true)
        // The fan may have signed in while the socket was opening.
        renew()
        // Only an HTTP request shows whether the service is away: a lost socket alone does not.
        connectivity?.answered()
      },
      closed() {
        clearTimeout(pong)
        set(false)
      },
      // Without a ping the client does not notice that the other end is gone.
      ping(received) {
        if (received) return
        clearTimeout(pong)
        pong = setTimeout(() => client.terminate(), PONG_WITHIN_MS)
      },
      pong(received) {
        if (received) clearTimeout(pong)
      },
    },
  })

  function renew() {
    if (!connected || presented === presentNow()) return
    deliberate = true
    client.terminate()
  }

  return {
    get connected() {
      return connected
    },
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    subscribe({ text, name }, variables, observer) {
      if (closed) return () => {}
      return client.subscribe(
        { query: text, operationName: name, variables: variables as Record<string, unknown> },
        {
          next(result) {
            if (result.errors?.length) observer.error(toApiError(result.errors as WireError[]))
            else if (result.data) observer.next(result.data as never)
          },
          error(error) {
            observer.error(
              Array.isArray(error)
                ? toApiError(error as WireError[])
                : new ConnectionLost('The socket could not be opened.', { cause: error }),
            )
          },
          complete: () => observer.complete(),
        },
      )
    },
    admit(token) {
      session.admissionToken = token
      presented = presentNow()
    },
    renew,
    close() {
      closed = true
      listeners.clear()
      clearTimeout(pong)
      void client.dispose()
    },
  }
}

import { createClient } from 'graphql-ws/client'
import { addressOf, pause } from './client.ts'
import { type ApiError, ConnectionLost, toApiError, type WireError } from './errors.ts'
import type { Link } from './link.ts'
import type { Operation } from './operation.ts'
import type { Session } from './session.ts'

export interface LiveSink<Data> {
  next(data: Data): void
  /** The subscription is over: the API said no, or no socket can be had. */
  error(error: ApiError | ConnectionLost): void
  /** The server ended it. */
  complete(): void
}

/** One WebSocket for all of a client's subscriptions; it comes back by itself, and they with it. */
export interface Live {
  readonly connected: boolean
  /** Called whenever `connected` changes; gives back how to stop. */
  onChange(listener: (connected: boolean) => void): () => void
  /** Every subscription sends the current value at once, so after each reconnection too. */
  subscribe<Data, Variables>(
    operation: Operation<Data, Variables>,
    variables: Variables,
    sink: LiveSink<Data>,
  ): () => void
  /** Keeps an admission that came over this socket, which the server knows the socket to have. */
  admit(token: string): void
  /** Opens a new socket where the present one was opened without the account or admission of now. */
  renew(): void
  /** For good: what was followed over it is not followed any more, and no socket is opened again. */
  close(): void
}

interface LiveOptions {
  /** Where the service is. */
  url: string
  session: Session
  link?: Link
  /** Default: the platform's. */
  webSocket?: unknown
}

const KEEP_ALIVE_MS = 20_000
const PONG_WITHIN_MS = 8_000

export function createLive({ url, session, link, webSocket }: LiveOptions): Live {
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
    // The default takes a refused connection for fatal; who waits for a turn never gives up on one.
    shouldRetry: () => true,
    async retryWait(attempt) {
      if (deliberate) deliberate = false
      else await new Promise((resolve) => setTimeout(resolve, pause(attempt + 1)))
    },
    on: {
      connected() {
        set(true)
        // Somebody may have signed in while it was opened.
        renew()
        // That a socket is lost says nothing yet: asking over HTTP will.
        link?.answered()
      },
      closed() {
        clearTimeout(pong)
        set(false)
      },
      // A socket whose other end is gone says nothing by itself.
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
    subscribe({ text, name }, variables, sink) {
      if (closed) return () => {}
      return client.subscribe(
        { query: text, operationName: name, variables: variables as Record<string, unknown> },
        {
          next(result) {
            if (result.errors?.length) sink.error(toApiError(result.errors as WireError[]))
            else if (result.data) sink.next(result.data as never)
          },
          error(error) {
            sink.error(
              Array.isArray(error)
                ? toApiError(error as WireError[])
                : new ConnectionLost('No socket can be had.', { cause: error }),
            )
          },
          complete: () => sink.complete(),
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

import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { handleProtocols } from 'graphql-ws'
import { type WebSocket, WebSocketServer } from 'ws'
import { Fault } from '../sale/faults.ts'
import { credentialsOf } from './callers.ts'
import { clientAddress } from './clientAddress.ts'
import { GRAPHQL_PATH } from './graphql.ts'
import { createAllowance } from './messageAllowance.ts'
import { createSocketOperations, type Peer, type SocketOperationsDeps } from './socketOperations.ts'

export type SocketsDeps = Omit<SocketOperationsDeps, 'onAnswered'>

export interface Sockets {
  /** Takes the server's upgrades to /graphql. */
  attach(server: Server): void
  /** Takes no more, and sends everybody to another server as soon as what runs for them is answered. */
  drain(): void
  /** Operations that are neither subscriptions nor answered yet. */
  readonly running: number
  /** Waits for those who were sent away to have gone, for a second, then closes what is left. */
  close(): Promise<void>
}

/** Bytes of one message: any operation but a plan's fits. */
const LARGEST_MESSAGE = 256 * 1_024
const PING_MS = 20_000
/** A client that lives says goodbye within one round trip. */
const CLOSING_MS = 1_000

/** Clients come back after these, and give up after 1011, 4429 and 4500. */
const SERVICE_RESTART = 1012
const TRY_AGAIN_LATER = 1013
/** What floods once floods again when it comes back. */
const TOO_MANY_REQUESTS = 4429

/** GraphQL on WebSockets: the protocol graphql-transport-ws, with the same engine and limits as HTTP. */
export function createSockets(deps: SocketsDeps): Sockets {
  const { app, metrics } = deps
  const { log } = app
  const peers = new Set<Peer>()
  let isDraining = false

  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: LARGEST_MESSAGE,
    // Small messages gain little, and each socket would hold a window of memory.
    perMessageDeflate: false,
    handleProtocols: (protocols) => handleProtocols(protocols),
  })
  const operations = createSocketOperations({
    ...deps,
    onAnswered(peer) {
      if (isDraining) leave(peer)
    },
  })
  metrics.gauge('fairgate_sockets', 'Sockets that are open.', () => peers.size)

  /** What it still sends is not looked at; whether it says goodbye or not, it is gone in a moment. */
  function cutOff({ socket }: Peer) {
    socket.close(TOO_MANY_REQUESTS, 'Too many requests')
    const late = setTimeout(() => socket.terminate(), CLOSING_MS)
    socket.once('close', () => clearTimeout(late))
  }

  /** Nobody is cut off while an answer is owed. */
  function leave({ socket, owed }: Peer) {
    if (owed === 0) socket.close(SERVICE_RESTART, 'Service restart')
  }

  function open(socket: WebSocket, request: IncomingMessage) {
    const address = clientAddress(request, app.env.trustedProxies)
    const peer: Peer = {
      socket,
      addressOf: () => address,
      credentials: credentialsOf(undefined),
      identity: { account: null, expiresAt: null, hasBadToken: false },
      admissions: new Map(),
      operations: 0,
      owed: 0,
      queued: new Map(),
      unended: new Map(),
      beginning: { isOwed: false },
      isAlive: true,
    }
    const allowance = createAllowance()
    peers.add(peer)
    const closed = operations.protocol.opened(
      {
        protocol: socket.protocol,
        send: (data) =>
          new Promise((resolve) => {
            if (socket.readyState !== socket.OPEN) return resolve()
            // One that cannot be sent to is closing; what ran for it is finished in order all the same.
            socket.send(data, () => resolve())
          }),
        close: (code, reason) => socket.close(code, reason),
        onMessage: (handle) =>
          socket.on('message', (data: Buffer) => {
            if (socket.readyState !== socket.OPEN) return
            if (!allowance.take(data.length)) return cutOff(peer)
            operations.take(peer, String(data), handle).catch((error) => {
              // The protocol's own answer would be 4500, which clients take for final.
              if (!(error instanceof Fault) && socket.readyState === socket.OPEN)
                log.error({ err: error }, 'a socket failed')
              socket.close(TRY_AGAIN_LATER, 'Try again later')
            })
          }),
      },
      peer,
    )
    // What `ws` refuses (a frame that is too large or broken) it closes itself.
    socket.on('error', (error) => log.debug({ err: error }, 'a socket broke'))
    socket.on('pong', () => {
      peer.isAlive = true
    })
    socket.once('close', (code, reason) => {
      peers.delete(peer)
      closed(code, String(reason)).catch((error) =>
        log.error({ err: error }, 'a socket was not left in order'),
      )
    })
  }

  const pinging = setInterval(() => {
    for (const peer of peers) {
      if (!peer.isAlive) peer.socket.terminate()
      peer.isAlive = false
      if (peer.socket.readyState === peer.socket.OPEN) peer.socket.ping()
    }
  }, PING_MS)

  function upgrade(request: IncomingMessage, stream: Duplex, head: Buffer) {
    stream.on('error', () => stream.destroy())
    if (isDraining) return refuse(stream, '503 Service Unavailable')
    if (request.url?.split('?')[0] !== GRAPHQL_PATH) return refuse(stream, '404 Not Found')
    if (!isOwnOrigin(request, app.env.publicUrl)) return refuse(stream, '403 Forbidden')
    sockets.handleUpgrade(request, stream, head, open)
  }

  return {
    attach(server) {
      server.on('upgrade', upgrade)
    },
    drain() {
      isDraining = true
      for (const peer of peers) leave(peer)
    },
    get running() {
      return operations.running
    },
    async close() {
      clearInterval(pinging)
      for (const { socket } of peers) socket.close(SERVICE_RESTART, 'Service restart')
      const patience = performance.now() + CLOSING_MS
      while (peers.size > 0 && performance.now() < patience) await sleep(10)
      for (const { socket } of peers) socket.terminate()
      sockets.close()
    },
  }
}

function refuse(stream: Duplex, status: string): void {
  stream.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
}

/** Pages of others have no business here; apps that are no pages send no Origin. */
function isOwnOrigin({ headers: { origin, host } }: IncomingMessage, publicUrl: string): boolean {
  if (origin === undefined) return true
  const url = URL.parse(origin)
  return url !== null && (url.host === host || url.origin === new URL(publicUrl).origin)
}

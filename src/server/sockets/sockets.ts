import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { type WebSocket, WebSocketServer } from 'ws'
import type { App } from '../../app.ts'
import { Fault } from '../../sale/faults.ts'
import { GRAPHQL_PATH } from '../graphql/lanes.ts'
import { sendBareAnswer } from '../http/bareAnswer.ts'
import { boundedAddress, clientAddress } from '../http/clientAddress.ts'
import { isAllowedOrigin } from '../http/crossOrigin.ts'
import { securityHeaders } from '../http/securityHeaders.ts'
import { BOUNDS } from './bounds.ts'
import { spend } from './messageAllowance.ts'
import { createOpenSockets, type SocketRefusal } from './openSockets.ts'
import { createOperations, type OperationsDeps } from './operations.ts'
import { createPeer, type Peer } from './peer.ts'
import { CloseCode, handleProtocols, TOO_MANY_REQUESTS } from './protocol.ts'
import { createUnfinishedMessages } from './unfinished.ts'
import { createUnreadSockets } from './unread.ts'

export type SocketsDeps = Omit<OperationsDeps, 'onAnswered' | 'openSockets'>

export interface Sockets {
  /** Accepts the server's upgrades to /graphql. */
  attach(server: Server): void
  /** Accepts no more sockets, and closes each socket as soon as its operations are answered. Clients reconnect elsewhere. */
  drain(): void
  /** Queries and mutations that are not answered yet. */
  readonly running: number
  /** Waits up to a second for the closing sockets, then terminates the rest. */
  close(): Promise<void>
}

/** Clients reconnect after these two codes, and give up after 1011, 4429 and 4500. */
const SERVICE_RESTART = 1012
const TRY_AGAIN_LATER = 1013
/** `ws` destroys a closing connection after this time, 30 seconds by default. Its types do not have the option. */
const CLOSING = { closeTimeout: BOUNDS.closingMs }
/** A refusal is logged once in so long: a storm would fill the log. */
const REFUSALS_LOGGED_MS = 60_000

/** Serves GraphQL on WebSockets, by the protocol graphql-transport-ws. */
export function createSockets(deps: SocketsDeps): Sockets {
  const { app, metrics } = deps
  const { log } = app
  const peers = new Map<WebSocket, Peer>()
  let opened = 0
  let seconds = 0
  let isDraining = false

  const sockets = new WebSocketServer({
    noServer: true,
    // `peers` tracks them.
    clientTracking: false,
    maxPayload: BOUNDS.messageBytes,
    maxFragments: BOUNDS.fragments,
    // Compression gains little for small messages, and costs each socket a window of memory.
    perMessageDeflate: false,
    handleProtocols: (protocols) => handleProtocols(protocols),
    ...CLOSING,
  })
  const openSockets = createOpenSockets(app.env.socketsPerAddress)
  const operations = createOperations({
    ...deps,
    openSockets,
    onAnswered(peer) {
      if (isDraining) leave(peer)
    },
  })
  metrics.gauge('fairgate_sockets', 'Open sockets.', () => peers.size)
  metrics.gauge('fairgate_sockets_unread_bytes', 'Bytes that clients of sockets have not read yet.', () => {
    let bytes = 0
    for (const { bufferedAmount } of peers.keys()) bytes += bufferedAmount
    return bytes
  })
  function giveUp(socket: WebSocket) {
    metrics.slowSocket()
    socket.terminate()
  }
  const unread = createUnreadSockets(giveUp)

  const bounded = (address: string | null) => boundedAddress(address, app.env.trustedProxies)
  const unfinished = createUnfinishedMessages(
    ({ address }) => bounded(address),
    ({ socket }) => giveUp(socket),
  )

  let loggedAt = Number.NEGATIVE_INFINITY
  function logRefusal(refusal: SocketRefusal, address: string | null) {
    if (performance.now() - loggedAt < REFUSALS_LOGGED_MS) return
    loggedAt = performance.now()
    log.warn({ refusal, address }, 'sockets are refused: see SOCKETS_PER_ADDRESS and TRUSTED_PROXIES')
  }

  /** Closes a socket that floods. Its further messages are not read. */
  function cutOff(peer: Peer) {
    peer.close(TOO_MANY_REQUESTS, 'Too many requests')
  }

  /** Charges a message or a control frame to the socket's allowance. False where the socket is cut off. */
  function charge(peer: Peer, bytes: number): boolean {
    const spentUntil = spend(peer.spentUntil, bytes)
    if (spentUntil !== null) peer.spentUntil = spentUntil
    else cutOff(peer)
    return spentUntil !== null
  }

  /** Closes the socket, unless it waits for an answer. */
  function leave({ socket, unanswered }: Peer) {
    if (unanswered === 0) socket.close(SERVICE_RESTART, 'Service restart')
  }

  function open(socket: WebSocket, request: IncomingMessage) {
    // From here on `ws` handles the errors.
    request.socket.off('error', destroyBroken)
    const peer = createPeer(socket, {
      address: clientAddress(request, app.env.trustedProxies),
      openedAt: seconds,
      pingSecond: opened++ % BOUNDS.pingSeconds,
    })
    peers.set(socket, peer)
    openSockets.open(bounded(peer.address))
    operations.open(peer)
    socket.on('message', onMessage)
    socket.on('error', onError)
    socket.on('ping', onPing)
    socket.on('pong', onPong)
    socket.on('close', onClose)
  }

  // All sockets share these functions.

  function onMessage(this: WebSocket, data: Buffer) {
    const peer = peers.get(this)
    if (!peer || this.readyState !== this.OPEN) return
    if (!charge(peer, data.length)) return
    operations.take(peer, String(data)).catch((error) => {
      // graphql-ws would close with 4500, after which clients do not reconnect.
      if (!(error instanceof Fault) && this.readyState === this.OPEN)
        log.error({ err: error }, 'a socket failed')
      this.close(TRY_AGAIN_LATER, 'Try again later')
    })
  }

  /** `ws` itself closes a socket that sends a broken frame or one that is too large. */
  function onError(error: Error) {
    log.debug({ err: error }, 'a socket broke')
  }

  /** `ws` answers each ping, so a flood of them would fill memory. */
  function onPing(this: WebSocket, data: Buffer) {
    const peer = peers.get(this)
    if (peer && this.readyState === this.OPEN) charge(peer, data.length)
  }

  function onPong(this: WebSocket, data: Buffer) {
    const peer = peers.get(this)
    if (!peer || this.readyState !== this.OPEN) return
    peer.isAlive = true
    charge(peer, data.length)
  }

  function onClose(this: WebSocket, code: number, reason: Buffer) {
    const peer = peers.get(this)
    peers.delete(this)
    if (!peer) return
    openSockets.close(bounded(peer.address))
    operations
      .closed(peer, code, String(reason))
      .catch((error) => log.error({ err: error }, 'the operations of a closed socket did not end'))
  }

  const ticking = setInterval(() => {
    seconds++
    unread.check(peers.keys(), seconds)
    openSockets.sweep()
    unfinished.check(peers.values())
    for (const peer of peers.values()) {
      if (peer.pingSecond === seconds % BOUNDS.pingSeconds) ping(peer)
      if (!peer.connection && seconds - peer.openedAt > BOUNDS.greetingSeconds)
        peer.close(CloseCode.ConnectionInitialisationTimeout, 'Connection initialisation timeout')
    }
  }, 1_000)

  function ping(peer: Peer) {
    const { socket } = peer
    if (!peer.isAlive) socket.terminate()
    peer.isAlive = false
    if (socket.readyState === socket.OPEN) socket.ping()
  }

  const { data: security } = securityHeaders(app.env.publicUrl, false)
  const refuse = (stream: Duplex, status: string) => sendBareAnswer(stream, status, security)

  // `ws` itself would answer a broken handshake without the security headers.
  sockets.on('wsClientError', (_error, stream) => refuse(stream, '400 Bad Request'))

  function upgrade(request: IncomingMessage, stream: Duplex, head: Buffer) {
    stream.on('error', destroyBroken)
    if (isDraining) return refuse(stream, '503 Service Unavailable')
    if (request.url?.split('?')[0] !== GRAPHQL_PATH) return refuse(stream, '404 Not Found')
    if (!isAllowed(request, app.env)) return refuse(stream, '403 Forbidden')
    const address = bounded(clientAddress(request, app.env.trustedProxies))
    const refusal = openSockets.refusalOf(address)
    if (refusal) {
      metrics.socketRefused(refusal)
      logRefusal(refusal, address)
      return refuse(stream, refusal === 'all' ? '503 Service Unavailable' : '429 Too Many Requests')
    }
    sockets.handleUpgrade(request, stream, head, open)
  }

  return {
    attach(server) {
      server.on('upgrade', upgrade)
    },
    drain() {
      isDraining = true
      for (const peer of peers.values()) leave(peer)
    },
    get running() {
      return operations.running
    },
    async close() {
      clearInterval(ticking)
      for (const socket of peers.keys()) socket.close(SERVICE_RESTART, 'Service restart')
      const deadline = performance.now() + BOUNDS.closingMs
      while (peers.size > 0 && performance.now() < deadline) await sleep(10)
      for (const socket of peers.keys()) socket.terminate()
      sockets.close()
    },
  }
}

function destroyBroken(this: Duplex): void {
  this.destroy()
}

/** True for our own pages, for those in ALLOWED_ORIGINS, and for apps that send no Origin. Other pages are refused. */
function isAllowed({ headers: { origin, host } }: IncomingMessage, env: App['env']): boolean {
  if (origin === undefined || isAllowedOrigin(env, origin)) return true
  const url = URL.parse(origin)
  return url !== null && (url.host === host || url.origin === new URL(env.publicUrl).origin)
}

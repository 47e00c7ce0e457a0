import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { CloseCode, handleProtocols } from 'graphql-ws'
import { type WebSocket, WebSocketServer } from 'ws'
import { Fault } from '../../sale/faults.ts'
import { NOBODY } from '../auth/identity.ts'
import { GRAPHQL_PATH } from '../graphql/graphql.ts'
import { NO_CREDENTIALS } from '../graphql/requestContext.ts'
import { clientAddress } from '../http/clientAddress.ts'
import { spend } from './messageAllowance.ts'
import { createOperations, type OperationsDeps } from './operations.ts'
import { NOTHING_OWED, type Peer } from './peer.ts'

export type SocketsDeps = Omit<OperationsDeps, 'onAnswered'>

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
/** One in so many each second: a ping costs what a message does, and to all at once it would keep everybody waiting. */
const PING_SECONDS = 20
/** What graphql-ws allows; its own timer is as heavy as a follower, and kept as long as the socket. */
const GREETING_SECONDS = 3
/** A client that lives says goodbye within one round trip. */
const CLOSING_MS = 1_000

/** Clients come back after these, and give up after 1011, 4429 and 4500. */
const SERVICE_RESTART = 1012
const TRY_AGAIN_LATER = 1013
/** What floods once floods again when it comes back. */
const TOO_MANY_REQUESTS = 4429

/** What graphql-ws asks of a socket, and what it gives: by methods that all share, where a closure each would be 60 bytes. */
interface OpenPeer extends Peer {
  readonly protocol: string
  send(data: string): Promise<void>
  close(code: number, reason: string): void
  onMessage(handle: (data: string) => Promise<void>): void
  handle: (data: string) => Promise<void>
  closed: (code: number, reason: string) => Promise<void>
  /** Seconds that this process has counted when it came. */
  readonly openedAt: number
  /** At which of the ping's seconds. */
  readonly turn: number
  isAlive: boolean
  /** See messageAllowance.ts. */
  spentUntil: number
}

const nothing = async () => {}

const methods = {
  send(this: Peer, data: string) {
    const { socket } = this
    return new Promise<void>((resolve) => {
      if (socket.readyState !== socket.OPEN) return resolve()
      // One that cannot be sent to is closing; what ran for it is finished in order all the same.
      socket.send(data, () => resolve())
    })
  },
  close(this: Peer, code: number, reason: string) {
    this.socket.close(code, reason)
  },
  onMessage(this: OpenPeer, handle: OpenPeer['handle']) {
    this.handle = handle
  },
}

/** GraphQL on WebSockets: the protocol graphql-transport-ws, with the same engine and limits as HTTP. */
export function createSockets(deps: SocketsDeps): Sockets {
  const { app, metrics } = deps
  const { log } = app
  const peers = new Map<WebSocket, OpenPeer>()
  let opened = 0
  let seconds = 0
  let isDraining = false

  const sockets = new WebSocketServer({
    noServer: true,
    // They are in `peers`.
    clientTracking: false,
    maxPayload: LARGEST_MESSAGE,
    // Small messages gain little, and each socket would hold a window of memory.
    perMessageDeflate: false,
    handleProtocols: (protocols) => handleProtocols(protocols),
  })
  const operations = createOperations({
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
    // From here on `ws` listens.
    request.socket.off('error', destroyBroken)
    const peer: OpenPeer = {
      socket,
      address: clientAddress(request, app.env.trustedProxies),
      connection: undefined,
      credentials: NO_CREDENTIALS,
      identity: NOBODY,
      admissions: undefined,
      operations: 0,
      owed: 0,
      queued: undefined,
      unended: undefined,
      beginning: NOTHING_OWED,
      protocol: socket.protocol,
      send: methods.send,
      close: methods.close,
      onMessage: methods.onMessage,
      handle: nothing,
      closed: nothing,
      openedAt: seconds,
      turn: opened++ % PING_SECONDS,
      isAlive: true,
      spentUntil: 0,
    }
    peers.set(socket, peer)
    peer.closed = operations.protocol.opened(peer, peer)
    socket.on('message', onMessage)
    socket.on('error', onError)
    socket.on('pong', onPong)
    socket.on('close', onClose)
  }

  // One of each for all sockets.

  function onMessage(this: WebSocket, data: Buffer) {
    const peer = peers.get(this)
    if (!peer || this.readyState !== this.OPEN) return
    const spentUntil = spend(peer.spentUntil, data.length)
    if (spentUntil === null) return cutOff(peer)
    peer.spentUntil = spentUntil
    operations.take(peer, String(data), peer.handle).catch((error) => {
      // The protocol's own answer would be 4500, which clients take for final.
      if (!(error instanceof Fault) && this.readyState === this.OPEN)
        log.error({ err: error }, 'a socket failed')
      this.close(TRY_AGAIN_LATER, 'Try again later')
    })
  }

  /** What `ws` refuses (a frame that is too large or broken) it closes itself. */
  function onError(error: Error) {
    log.debug({ err: error }, 'a socket broke')
  }

  function onPong(this: WebSocket) {
    const peer = peers.get(this)
    if (peer) peer.isAlive = true
  }

  function onClose(this: WebSocket, code: number, reason: Buffer) {
    const peer = peers.get(this)
    peers.delete(this)
    peer
      ?.closed(code, String(reason))
      .catch((error) => log.error({ err: error }, 'a socket was not left in order'))
  }

  const ticking = setInterval(() => {
    seconds++
    for (const peer of peers.values()) {
      if (peer.turn === seconds % PING_SECONDS) ping(peer)
      if (!peer.connection && seconds - peer.openedAt > GREETING_SECONDS)
        peer.close(CloseCode.ConnectionInitialisationTimeout, 'Connection initialisation timeout')
    }
  }, 1_000)

  function ping(peer: OpenPeer) {
    const { socket } = peer
    if (!peer.isAlive) socket.terminate()
    peer.isAlive = false
    if (socket.readyState === socket.OPEN) socket.ping()
  }

  function upgrade(request: IncomingMessage, stream: Duplex, head: Buffer) {
    stream.on('error', destroyBroken)
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
      for (const peer of peers.values()) leave(peer)
    },
    get running() {
      return operations.running
    },
    async close() {
      clearInterval(ticking)
      for (const socket of peers.keys()) socket.close(SERVICE_RESTART, 'Service restart')
      const patience = performance.now() + CLOSING_MS
      while (peers.size > 0 && performance.now() < patience) await sleep(10)
      for (const socket of peers.keys()) socket.terminate()
      sockets.close()
    },
  }
}

function destroyBroken(this: Duplex): void {
  this.destroy()
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

import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { AddressRange } from '../../../addresses.ts'
import { sendBareAnswer } from '../bareAnswer.ts'
import { boundedAddress } from '../clientAddress.ts'
import { createFairShare } from './fairShare.ts'
import type { HttpLimits } from './httpLimits.ts'
import { bytesAccepted, createUnreadWatch } from './unreadWatch.ts'

/** A connection of HTTP. A connection that becomes a WebSocket is no longer one. */
export interface Connection {
  readonly socket: Socket
  /** By which the connection counts; null for a connection of one of our own proxies, which carries many clients. */
  readonly address: string | null
  /** Requests that are not answered, or whose answers the system has not accepted yet. */
  readonly unanswered: Set<ServerResponse>
  /** Its further requests get no answer. */
  isRefused: boolean
  /** Requests after the refused one. */
  dropped: number
}

export interface Connections {
  /** Counts and bounds the connections of this server, until it closes. */
  attach(server: Server): void
  of(request: Pick<IncomingMessage, 'socket'>): Connection
  /** True for a connection whose client has not read the answers to its earlier requests. */
  isUnread(connection: Connection): boolean
  readonly size: number
  /** Of answers that the clients have not read, without the bytes that many clients share. */
  readonly unreadBytes: number
}

export interface ConnectionsOptions {
  limits: HttpLimits
  trustedProxies: readonly AddressRange[]
  /** CONNECTIONS_PER_ADDRESS */
  perAddress: number
  /** Of the answers to refused connections: see securityHeaders.ts. */
  security: readonly string[]
  onRefused(reason: 'address' | 'all'): void
  /** A connection is closed because its client does not read. */
  onSlow(): void
}

/**
 * Bounds the connections of HTTP by address and in all, and closes those that do not read. Where an address has its whole number,
 * the connection of it that rested longest makes room: browsers keep connections open for their next request.
 */
export function createConnections(options: ConnectionsOptions): Connections {
  const { limits, trustedProxies, perAddress, security, onRefused, onSlow } = options
  const connections = new Map<Socket, Connection>()
  /** Of each address, the connection that rested longest first. */
  const byAddress = new Map<string, Set<Connection>>()
  const share = createFairShare({ perClient: perAddress, inAll: limits.connections })
  const pace = () => ({ seconds: limits.unreadSeconds, leastBytes: limits.leastReadBytes })
  const watch = createUnreadWatch<Connection>(pace, giveUp)

  function accept(socket: Socket) {
    const address = boundedAddress(socket.remoteAddress ?? null, trustedProxies)
    if (address !== null && share.refusalOf(address) === 'client') closeResting(address)
    const refusal = share.refusalOf(address)
    if (refusal) return refuse(socket, address, refusal)
    const connection = newConnection(socket, address)
    connections.set(socket, connection)
    share.enter(address)
    if (address !== null) {
      const others = byAddress.get(address) ?? new Set()
      byAddress.set(address, others.add(connection))
    }
    socket.once('close', () => leave(connection))
  }

  function leave(connection: Connection) {
    const { socket, address } = connection
    if (connections.get(socket) !== connection) return
    connections.delete(socket)
    share.leave(address)
    if (address === null) return
    const others = byAddress.get(address)
    others?.delete(connection)
    if (others?.size === 0) byAddress.delete(address)
  }

  function closeResting(address: string) {
    for (const connection of byAddress.get(address) ?? []) {
      if (connection.unanswered.size > 0) continue
      leave(connection)
      connection.socket.destroy()
      return
    }
  }

  /** Node has begun to read the connection already: a request of it gets no other answer. */
  function refuse(socket: Socket, address: string | null, refusal: 'client' | 'all') {
    onRefused(refusal === 'all' ? 'all' : 'address')
    refused.set(socket, { ...newConnection(socket, address), isRefused: true })
    const status = refusal === 'all' ? '503 Service Unavailable' : '429 Too Many Requests'
    socket.on('error', () => socket.destroy())
    sendBareAnswer(socket, status, security, ['retry-after', '5'])
  }

  const refused = new WeakMap<Socket, Connection>()

  function giveUp({ socket }: Connection) {
    onSlow()
    socket.destroy()
  }

  /** The connections whose clients do not take the bytes that are there for them. */
  function* unread() {
    for (const connection of connections.values()) {
      const { socket } = connection
      if (socket.writableLength > 0 || isUnread(connection))
        yield [connection, bytesAccepted(socket)] as const
    }
  }

  function isUnread(connection: Connection): boolean {
    // Nearly every connection has one request at a time.
    if (connection.unanswered.size < 2 && connection.socket.writableLength === 0) return false
    return unreadBytesOf(connection) > limits.unreadBytes
  }

  /** Closes the connections with the most unread bytes, where all together have too many. */
  function keepBudget() {
    const all: { connection: Connection; bytes: number }[] = []
    let sum = 0
    for (const connection of connections.values()) {
      if (connection.unanswered.size === 0) continue
      const bytes = unreadBytesOf(connection, isOwn)
      sum += bytes
      if (bytes > 0) all.push({ connection, bytes })
    }
    if (sum <= limits.unreadBytesInAll) return
    all.sort((a, b) => b.bytes - a.bytes)
    for (const { connection, bytes } of all) {
      if (sum <= limits.unreadBytesInAll) return
      sum -= bytes
      giveUp(connection)
    }
  }

  return {
    attach(server) {
      let seconds = 0
      const ticking = setInterval(() => {
        watch.check(unread(), ++seconds)
        keepBudget()
      }, 1_000)
      ticking.unref()
      server.on('connection', accept)
      server.on('upgrade', (_request, socket) => {
        const connection = connections.get(socket as Socket)
        if (connection) leave(connection)
      })
      server.once('close', () => clearInterval(ticking))
    },
    of: ({ socket }) => connections.get(socket) ?? refused.get(socket) ?? newConnection(socket, null),
    isUnread,
    get size() {
      return connections.size
    },
    get unreadBytes() {
      let bytes = 0
      for (const connection of connections.values()) bytes += unreadBytesOf(connection, isOwn)
      return bytes
    },
  }
}

function newConnection(socket: Socket, address: string | null): Connection {
  return { socket, address, unanswered: new Set(), isRefused: false, dropped: 0 }
}

/** Answers that wait for earlier ones of their connection count too. */
function unreadBytesOf(
  { unanswered }: Connection,
  counts: (response: ServerResponse) => boolean = () => true,
) {
  let bytes = 0
  for (const response of unanswered) if (counts(response)) bytes += response.writableLength
  return bytes
}

const isOwn = (response: ServerResponse) => !(response as { isShared?: boolean }).isShared

import type { WebSocket } from 'ws'
import { ANONYMOUS, type Identity } from '../auth/identity.ts'
import type { Follower } from '../broadcast/broadcaster.ts'
import type { ParsedOperation } from '../graphql/lanes.ts'
import { type ContextOptions, type Credentials, NO_CREDENTIALS } from '../graphql/requestContext.ts'
import { type ProtocolOperation, type ProtocolSocket, SOCKET_METHODS } from './protocol.ts'

/**
 * One socket, in one object. Parts that few sockets need are made on demand (npm run bench -- follower-memory).
 */
export interface Peer extends ProtocolSocket<PendingOperation> {
  readonly address: string | null
  credentials: Credentials
  identity: Identity
  /** The admission tokens that its queue positions delivered, by event. */
  admissions: Map<string, string> | undefined
  /** Operations of every kind that have not ended. An operation that the client left counts until it ends. */
  operations: number
  /** The queries and mutations among them: the client waits for an answer to each. */
  unanswered: number
  /** Operations that wait in their priority class, by id. */
  waiting: Map<string, PendingOperation> | undefined
  /** The first of the subscriptions that groups serve; each links to the next. */
  firstFollower: PeersFollower | undefined
  /** The process's count of seconds when the socket opened. */
  readonly openedAt: number
  /** The second of the ping's period in which this socket is pinged. */
  readonly pingSecond: number
  isAlive: boolean
  /** See messageAllowance.ts. */
  spentUntil: number
}

/** An operation that a socket has sent. */
export interface PendingOperation extends ProtocolOperation {
  readonly parsed: ParsedOperation
  isUnanswered: boolean
  /** Called when the answer exists; set while the operation has a slot. */
  onAnswer: (() => void) | undefined
}

/** A subscription of a socket that a group serves. */
export interface PeersFollower extends Follower {
  readonly peer: Peer
  nextOfPeer: PeersFollower | undefined
}

export function createPeer(
  socket: WebSocket,
  given: Pick<Peer, 'address' | 'openedAt' | 'pingSecond'>,
): Peer {
  return {
    socket,
    protocol: socket.protocol,
    send: SOCKET_METHODS.send,
    close: SOCKET_METHODS.close,
    onMessage: SOCKET_METHODS.onMessage,
    handle: SOCKET_METHODS.handle,
    closed: SOCKET_METHODS.closed,
    connection: undefined,
    running: undefined,
    address: given.address,
    credentials: NO_CREDENTIALS,
    identity: ANONYMOUS,
    admissions: undefined,
    operations: 0,
    unanswered: 0,
    waiting: undefined,
    firstFollower: undefined,
    openedAt: given.openedAt,
    pingSecond: given.pingSecond,
    isAlive: true,
    spentUntil: 0,
  }
}

/** The caller of a socket's operations, with the same parts as the caller of an HTTP request. */
export function callerOf(peer: Peer): Omit<ContextOptions, 'app' | 'requestId'> {
  const { credentials, identity, address } = peer
  return {
    credentials,
    identity,
    addressOf: () => address,
    admissions: {
      get: (eventId: string) => peer.admissions?.get(eventId),
      set(eventId: string, token: string) {
        peer.admissions ??= new Map()
        peer.admissions.set(eventId, token)
      },
    },
  }
}

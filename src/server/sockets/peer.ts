import type { DocumentNode } from 'graphql'
import type { Context as SocketContext } from 'graphql-ws'
import type { WebSocket } from 'ws'
import type { Identity } from '../auth/identity.ts'
import type { ContextOptions, Credentials } from '../graphql/requestContext.ts'

/** One socket. What few of them need is made for those (npm run bench -- follower-memory). */
export interface Peer {
  readonly socket: WebSocket
  readonly address: string | null
  /** The protocol's own view of it, once it has said who it is. */
  connection: Connection | undefined
  credentials: Credentials
  identity: Identity
  /** Tokens of admissions that its queue positions delivered, by event. */
  admissions: Map<string, string> | undefined
  /** Operations of every kind that have not ended: those that run on after their client left them as well. */
  operations: number
  /** Those among them that are no subscriptions: each is owed an answer. */
  owed: number
  /** Operations that wait for their turn, by id: the protocol has not heard of them yet. */
  queued: Map<string, PendingOperation> | undefined
  /** What has been handed to the protocol and has not ended, by id. */
  unended: Map<string, Promise<void>> | undefined
  /** What the message that is being handed to the protocol begins; the protocol itself knows operations by ids alone. */
  beginning: PendingOperation
}

/** An operation that a socket has asked for. */
export interface PendingOperation {
  /** Null for what is no document: the protocol is to refuse it in its own words. */
  readonly document: DocumentNode | null
  isOwed: boolean
}

/** Of what is never owed an answer. */
export const NOTHING_OWED: PendingOperation = { document: null, isOwed: false }

type Connection = SocketContext<Record<string, unknown>, Peer>

/** Of a peer that the protocol has acknowledged: what it runs for it, by id. */
export const subscriptionsOf = ({ connection }: Peer) => (connection as Connection).subscriptions

/** Who asks, to be told apart as whoever asks by HTTP is. */
export function callerOf(peer: Peer): Omit<ContextOptions, 'app' | 'requestId'> {
  const { credentials, identity, address } = peer
  return {
    ...{ credentials, identity },
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

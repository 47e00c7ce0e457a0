import type { GraphQLError } from 'graphql'
import type { WebSocket } from 'ws'
import type { Admitted, Broadcaster } from '../broadcast/broadcaster.ts'
import { quotedId } from '../broadcast/message.ts'
import { isRefused, type Pipeline, type PreparedOperation } from '../graphql/lanes.ts'
import type { FinishedResult, Outcomes } from '../graphql/outcomes.ts'
import { newRequestId } from '../graphql/requestId.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { Peer, PeersFollower, PendingOperation } from './peer.ts'
import { MessageType, type ServerMessage, sendMessage } from './protocol.ts'
import type { UnansweredOperations } from './unansweredOperations.ts'

/**
 * The group lane: subscriptions of sockets that a group of the broadcaster serves. graphql-ws does not run them: it would keep
 * the whole request for as long as the subscription lasts.
 */
export interface Followers {
  /** True where a group serves the operation. */
  takes(operation: PendingOperation): boolean
  /** True where the socket has a follower of this id. */
  has(peer: Peer, id: string): boolean
  /** Starts a follower; resolves when it has joined its group, or has ended. */
  follow(peer: Peer, operation: PendingOperation): Promise<void>
  /** The client leaves the operation. False where no follower has this id. */
  leave(peer: Peer, id: string): boolean
  /** The socket is closed. */
  leaveAll(peer: Peer): void
}

export interface FollowersDeps {
  broadcaster: Broadcaster
  pipeline: Pipeline
  outcomes: Outcomes
  metrics: Metrics
  unanswered: UnansweredOperations
  prepare(peer: Peer, operation: PendingOperation): PreparedOperation | readonly GraphQLError[]
  shown(errors: readonly GraphQLError[]): readonly GraphQLError[]
}

export function createFollowers(deps: FollowersDeps): Followers {
  const { broadcaster, pipeline, outcomes, metrics, unanswered, prepare, shown } = deps

  function addFollower(peer: Peer, id: string): PeersFollower {
    const follower: PeersFollower = {
      socket: peer.socket,
      id: quotedId(id),
      behindSince: undefined,
      giveUp,
      at: 0,
      isDue: undefined,
      group: undefined,
      stopWatching: undefined,
      isOver: false,
      peer,
      nextOfPeer: peer.firstFollower,
      end: endFollower,
    }
    peer.firstFollower = follower
    return follower
  }

  // All followers share these functions.

  /** The socket reads nothing, so it would not read a close message either. */
  function giveUp(socket: WebSocket) {
    metrics.slowSocket()
    socket.terminate()
  }

  function endFollower(this: PeersFollower, error?: unknown) {
    if (error === undefined) return conclude(this)
    concludeWith(this, [outcomes.present(error, newRequestId())])
  }

  function concludeWith(follower: PeersFollower, errors: readonly GraphQLError[]) {
    conclude(follower, { type: MessageType.Error, payload: shown(errors) })
  }

  /** Ends the follower, and reports the end to a client that has not left. */
  function conclude(follower: PeersFollower, message: ServerMessage = { type: MessageType.Complete }) {
    if (follower.isOver) return
    follower.isOver = true
    broadcaster.leave(follower)
    const { peer, id } = follower
    if (remove(follower)) sendMessage(peer.socket, JSON.parse(id), message)
    unanswered.finish(peer)
  }

  /** Leaves the group. A follower that has not joined yet finds itself removed when it would join. */
  function leave(follower: PeersFollower) {
    remove(follower)
    if (follower.group) conclude(follower)
  }

  return {
    takes({ parsed: { parsed, params } }) {
      return 'kind' in parsed && broadcaster.takes(parsed, params.operationName)
    },

    has: (peer, id) => find(peer, id) !== undefined,

    async follow(peer, operation) {
      // From now on the client can leave it, and the socket's end ends it.
      const follower = addFollower(peer, operation.id)
      const prepared = prepare(peer, operation)
      if (isRefused(prepared)) return concludeWith(follower, prepared)
      const started = (await pipeline.subscribe(prepared, broadcaster.admit)) as Admitted | FinishedResult
      if (!isListed(follower)) return conclude(follower)
      if ('group' in started) return broadcaster.join(started, follower)
      const errors = shown(started.errors ?? [])
      sendMessage(peer.socket, operation.id, { type: MessageType.Next, payload: { ...started, errors } })
      follower.end()
    },

    leave(peer, id) {
      const follower = find(peer, id)
      if (follower) leave(follower)
      return follower !== undefined
    },

    leaveAll(peer) {
      while (peer.firstFollower) leave(peer.firstFollower)
    },
  }
}

/** A socket has few followers, so a linked list of them costs less than a Map. */
function find({ firstFollower }: Peer, id: string): PeersFollower | undefined {
  if (!firstFollower) return undefined
  const quoted = quotedId(id)
  let follower: PeersFollower | undefined = firstFollower
  while (follower && follower.id !== quoted) follower = follower.nextOfPeer
  return follower
}

function isListed(follower: PeersFollower): boolean {
  let listed = follower.peer.firstFollower
  while (listed && listed !== follower) listed = listed.nextOfPeer
  return listed !== undefined
}

/** False where it was removed before. */
function remove(follower: PeersFollower): boolean {
  const { peer, nextOfPeer } = follower
  if (peer.firstFollower === follower) {
    peer.firstFollower = nextOfPeer
    return true
  }
  let before = peer.firstFollower
  while (before && before.nextOfPeer !== follower) before = before.nextOfPeer
  if (before) before.nextOfPeer = nextOfPeer
  return before !== undefined
}

import type { ExecutionResult } from 'graphql'
import { MessageType, type SubscribeMessage } from 'graphql-ws'
import type { WebSocket } from 'ws'
import type { Admitted, Broadcaster, Follower, Following } from '../broadcast/broadcaster.ts'
import { quotedId } from '../broadcast/message.ts'
import type { Outcomes } from '../graphql/outcomes.ts'
import { newRequestId } from '../http/requestId.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { Answers } from './answers.ts'
import { NOTHING_OWED, type Peer, type PendingOperation, subscriptionsOf } from './peer.ts'
import type { Prepare } from './preparation.ts'
import type { UnansweredOperations } from './unansweredOperations.ts'

/** Sockets' subscriptions that a group of the broadcaster tells, beside the protocol. */
export interface Followers {
  /** False where the protocol runs it, or would refuse it by its own rules: that is left to it. */
  takes(peer: Peer, message: SubscribeMessage, begun: PendingOperation): boolean
  /**
   * Begins what a group tells. The protocol knows it as one of its own, so that leaving it, using its id twice and
   * closing the socket are as ever; but it does not wait for it, which would keep the whole request as long as it lasts.
   */
  follow(peer: Peer, message: SubscribeMessage, begun: PendingOperation): Promise<void>
}

export interface FollowersDeps {
  broadcaster: Broadcaster
  outcomes: Outcomes
  metrics: Metrics
  answers: Answers
  owed: UnansweredOperations
  prepare: Prepare
}

interface PeersFollower extends Follower {
  readonly peer: Peer
  readonly ownId: string
  return(): Promise<void>
  [Symbol.asyncIterator](): never
}

export function createFollowers(deps: FollowersDeps): Followers {
  const { broadcaster, outcomes, metrics, answers, owed, prepare } = deps

  function followerOf(peer: Peer, id: string): PeersFollower {
    return {
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
      ownId: id,
      end: endFollower,
      return: leaveFollower,
      [Symbol.asyncIterator]: notIterated,
    }
  }

  // One of each for all followers.

  /** It takes nothing any more, a goodbye neither. */
  function giveUp(socket: WebSocket) {
    metrics.slowSocket()
    socket.terminate()
  }

  function endFollower(this: PeersFollower, error?: unknown) {
    if (error === undefined) return conclude(this)
    const presented = outcomes.present(error, newRequestId())
    conclude(this, MessageType.Error, answers.shown([presented]))
  }

  /** By the protocol: the client has left. */
  async function leaveFollower(this: PeersFollower) {
    // One that is still being made is found to have been left when it is.
    if (this.group) conclude(this)
  }

  /** It is over: who has not left is told so. */
  function conclude(follower: PeersFollower, type = MessageType.Complete, payload?: unknown) {
    if (follower.isOver) return
    follower.isOver = true
    broadcaster.leave(follower)
    const { peer, ownId } = follower
    if (!isLeft(follower)) {
      delete subscriptionsOf(peer)[ownId]
      answers.tell(peer, ownId, type, payload)
    }
    owed.finish(peer, NOTHING_OWED)
  }

  return {
    takes({ connection }, { id, payload: { operationName } }, { document }) {
      if (document === null || !connection?.acknowledged || id in connection.subscriptions) return false
      return broadcaster.takes(document, operationName)
    },

    async follow(peer, { id, payload }, begun) {
      const follower = followerOf(peer, id)
      // From the first moment on, and of its own: whoever leaves, or whose socket closes, while it is being made is known
      // to have left, whatever the id stands for by then.
      subscriptionsOf(peer)[id] = follower as never
      const prepared = await prepare(peer, payload, begun)
      if (Array.isArray(prepared)) return conclude(follower, MessageType.Error, answers.shown(prepared))
      const following: Following = { ...prepared, isFollower: true }
      const result = (await prepared.subscribe(following)) as Admitted | ExecutionResult
      if (isLeft(follower)) return conclude(follower)
      if ('group' in result) return broadcaster.join(result, follower)
      const errors = answers.shown(result.errors ?? [])
      answers.tell(peer, id, MessageType.Next, { ...result, errors })
      follower.end()
    },
  }
}

function isLeft(follower: PeersFollower): boolean {
  return subscriptionsOf(follower.peer)[follower.ownId] !== (follower as unknown)
}

/** Followers are told by their group; the protocol asks only whether there is one to leave. */
function notIterated(): never {
  throw new Error('a follower is not iterated')
}

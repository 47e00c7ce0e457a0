import { type ExecutionResult, GraphQLError, getOperationAST } from 'graphql'
import {
  CloseCode,
  MessageType,
  makeServer,
  parseMessage,
  type Context as SocketContext,
  type SubscribeMessage,
  type SubscribePayload,
  stringifyMessage,
} from 'graphql-ws'
import type { WebSocket } from 'ws'
import type { App } from '../app.ts'
import { badInput, Fault } from '../sale/faults.ts'
import type { Admitted, Broadcaster, Follower, Following } from './broadcast/broadcaster.ts'
import { quotedId } from './broadcast/message.ts'
import { type Credentials, contextOf, credentialsOf } from './callers.ts'
import type { Graphql } from './graphql.ts'
import type { Identities, Identity } from './identity.ts'
import type { Metrics } from './metrics.ts'
import type { Outcomes } from './outcomes.ts'
import { type Class, classOf, type Priority } from './priority.ts'
import { newRequestId } from './requestId.ts'

export interface SocketOperationsDeps {
  app: App
  graphql: Graphql
  identities: Identities
  broadcaster: Broadcaster
  outcomes: Outcomes
  metrics: Metrics
  priority: Priority
  /** An operation of this socket that was owed an answer has ended. */
  onAnswered(peer: Peer): void
}

/** It goes out with each message of its operation, escaped. Clients' have 36 characters. */
const LONGEST_ID = 65_536

/** A page follows a section, a sale, a place, a hold and an order. */
const OPERATIONS_AT_ONCE = 50

const CLIENTS_MESSAGES: ReadonlySet<string> = new Set([
  MessageType.ConnectionInit,
  MessageType.Ping,
  MessageType.Pong,
  MessageType.Subscribe,
  MessageType.Complete,
])

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
  queued: Map<string, Begun> | undefined
  /** What has been handed to the protocol and has not ended, by id. */
  unended: Map<string, Promise<void>> | undefined
  /** What the message that is being handed to the protocol begins; the protocol itself knows operations by ids alone. */
  beginning: Begun
}

/** Without its payload, which the protocol would keep; of that no more is kept than the credentials. */
const GREETING = stringifyMessage({ type: MessageType.ConnectionInit })

interface Begun {
  isOwed: boolean
}

/** Of what is never owed an answer. */
export const NOTHING_OWED: Begun = { isOwed: false }

interface PeersFollower extends Follower {
  readonly peer: Peer
  readonly ownId: string
  return(): Promise<void>
  [Symbol.asyncIterator](): never
}

type Connection = SocketContext<Record<string, unknown>, Peer>

/** The arguments of an operation with the engine that was made for its context. */
type Operation = Following & Pick<ReturnType<Graphql['getEnveloped']>, 'execute' | 'subscribe'>

/** What sockets ask for, and what becomes of it: beside the protocol stand the priorities and the groups of the broadcaster. */
export function createSocketOperations({
  app,
  graphql,
  identities,
  broadcaster,
  outcomes,
  metrics,
  priority,
  onAnswered,
}: SocketOperationsDeps) {
  let running = 0

  const protocol = makeServer<Record<string, unknown>, Peer>({
    // Who says nothing is sent away by websocket.ts.
    connectionInitWaitTimeout: 0,
    async onConnect(connection) {
      const { extra } = connection
      extra.connection = connection
      extra.identity = await identities.identify(extra.credentials.authorization)
      // 4403, after which clients come back with a new token.
      return !extra.identity.hasBadToken
    },
    onSubscribe: ({ extra }, _id, payload) => prepare(extra, payload),
    execute: (args) => (args as Operation).execute(args) as never,
    subscribe: (args) => (args as Operation).subscribe(args) as never,
    onNext: (_connection, _id, _payload, _args, result) =>
      result.errors && { ...result, errors: shown(result.errors) },
    onError: (_connection, _id, _payload, errors) => shown(errors),
  })

  function shown(errors: readonly GraphQLError[]) {
    return errors.map((error) => outcomes.bare(known(error)).toJSON())
  }

  async function prepare(
    peer: Peer,
    { query, operationName, variables }: SubscribePayload,
  ): Promise<Operation | GraphQLError[]> {
    const { beginning } = peer
    const requestId = newRequestId()
    try {
      const context = contextOf({ ...callerOf(peer), app, requestId })
      const { schema, parse, validate, contextFactory, execute, subscribe } = graphql.getEnveloped(context)
      const document = parse(query)
      const errors = validate(schema, document)
      if (errors.length > 0) return errors.map((error: unknown) => outcomes.present(error, requestId))
      const operation = getOperationAST(document, operationName)
      if (!operation) throw noOperation()
      // A subscription owes no answer: whoever has one only is sent elsewhere at once.
      if (operation.operation !== 'subscription') begin(peer, beginning)
      return {
        schema,
        document,
        operationName,
        variableValues: variables,
        contextValue: await contextFactory(),
        execute,
        subscribe,
      }
    } catch (error) {
      return [outcomes.present(error, requestId)]
    }
  }

  function begin(peer: Peer, begun: Begun) {
    begun.isOwed = true
    peer.owed++
    running++
  }

  /** However it ended, and whether or not anybody is there to be answered. */
  function finish(peer: Peer, { isOwed }: Begun) {
    peer.operations--
    if (!isOwed) return
    peer.owed--
    running--
    onAnswered(peer)
  }

  /** What one message asks for, until all of it is done and sent. */
  async function take(peer: Peer, data: string, handle: (data: string) => Promise<void>) {
    const message = readMessage(data)
    if (!message) return peer.socket.close(CloseCode.BadRequest, 'Invalid message received')
    if (message.type === MessageType.Complete && unqueue(peer, message.id)) return
    if (message.type === MessageType.ConnectionInit) {
      if (!peer.connection) peer.credentials = credentialsOf(message.payload)
      return handle(GREETING)
    }
    if (message.type !== MessageType.Subscribe) return handle(data)
    const { id, payload } = message
    if (id.length > LONGEST_ID) return peer.socket.close(CloseCode.BadRequest, 'The id is too long')
    if (peer.queued?.has(id))
      return peer.socket.close(CloseCode.SubscriberAlreadyExists, `Subscriber for ${id} already exists`)
    // The protocol never hears of it: what it keeps for each operation does not grow with them.
    if (peer.operations === OPERATIONS_AT_ONCE) return refuseOperation(peer, id, tooMany())
    peer.operations++
    const begun = { isOwed: false }
    let hasTurn = false
    const begin = async () => {
      hasTurn = true
      const before = leftUnder(peer, id)
      if (before) await before
      if (!isAwaited(peer, id, begun)) return finish(peer, begun)
      if (isFollowed(peer, message)) return follow(peer, message)
      peer.beginning = begun
      // Calls `prepare` before it first waits.
      return untilEnded(peer, id, handle(data)).finally(() => finish(peer, begun))
    }
    const { of, lasts } = kindOf(payload)
    peer.queued ??= new Map()
    peer.queued.set(id, begun)
    try {
      // Of what lasts the beginning alone waits for a turn: the rest would keep others from theirs.
      await priority.run(of, lasts ? async () => {} : begin)
    } catch (error) {
      if (hasTurn) throw error
      finish(peer, begun)
      if (isAwaited(peer, id, begun)) refuseOperation(peer, id, error)
      return
    }
    if (lasts) await begin()
  }

  /**
   * What ran under this id, was left and has not ended: the protocol, which knows operations by ids alone, would take the
   * next one for it. What the one is told would go to the other, and the one that was left would never end.
   */
  function leftUnder({ connection, unended }: Peer, id: string): Promise<void> | undefined {
    const isLeft = connection !== undefined && !(id in connection.subscriptions)
    return isLeft ? unended?.get(id) : undefined
  }

  async function untilEnded(peer: Peer, id: string, ending: Promise<void>) {
    if (peer.connection === undefined || peer.unended?.has(id)) return ending
    peer.unended ??= new Map()
    peer.unended.set(
      id,
      ending.catch(() => {}),
    )
    return ending.finally(() => {
      peer.unended = without(peer.unended, id)
    })
  }

  /** Whoever left it while it waited, or has gone, is not served. From now on the protocol knows it. */
  function isAwaited(peer: Peer, id: string, begun: Begun): boolean {
    if (peer.queued?.get(id) !== begun) return false
    unqueue(peer, id)
    return peer.socket.readyState === peer.socket.OPEN
  }

  /** False where it did not wait. */
  function unqueue(peer: Peer, id: string): boolean {
    const waited = peer.queued?.has(id) ?? false
    peer.queued = without(peer.queued, id)
    return waited
  }

  /** What is no document the protocol refuses in its own words. */
  function kindOf({ query, operationName }: SubscribePayload): { of: Class; lasts: boolean } {
    try {
      const document = graphql.getEnveloped().parse(query)
      const lasts = getOperationAST(document, operationName)?.operation === 'subscription'
      return { of: classOf(document, operationName), lasts }
    } catch {
      return { of: 'browsing', lasts: false }
    }
  }

  /** Everything that the protocol would refuse by its own rules is left to it. */
  function isFollowed({ connection }: Peer, { id, payload: { query, operationName } }: SubscribeMessage) {
    if (!connection?.acknowledged || id in connection.subscriptions) return false
    try {
      return broadcaster.takes(graphql.getEnveloped().parse(query), operationName)
    } catch {
      return false
    }
  }

  /**
   * Begins what a group tells. The protocol knows it as one of its own, so that leaving it, using its id twice and
   * closing the socket are as ever; but it does not wait for it, which would keep the whole request as long as it lasts.
   */
  async function follow(peer: Peer, { id, payload }: SubscribeMessage) {
    const follower = followerOf(peer, id)
    // From the first moment on, and of its own: whoever leaves, or whose socket closes, while it is being made is known
    // to have left, whatever the id stands for by then.
    subscriptionsOf(peer)[id] = follower as never
    const operation = await prepare(peer, payload)
    if (Array.isArray(operation)) return conclude(follower, MessageType.Error, shown(operation))
    const following: Following = { ...operation, isFollower: true }
    const result = (await operation.subscribe(following)) as Admitted | ExecutionResult
    if (isLeft(follower)) return conclude(follower)
    if ('group' in result) return broadcaster.join(result, follower)
    answer(peer, id, MessageType.Next, { ...result, errors: shown(result.errors ?? []) })
    follower.end()
  }

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

  function endFollower(this: PeersFollower, error?: unknown) {
    if (error === undefined) return conclude(this)
    const presented = outcomes.present(error, newRequestId())
    conclude(this, MessageType.Error, shown([presented]))
  }

  /** By the protocol: the client has left. */
  async function leaveFollower(this: PeersFollower) {
    // One that is still being made is found to have been left when it is.
    if (this.group) conclude(this)
  }

  function isLeft(follower: PeersFollower): boolean {
    return subscriptionsOf(follower.peer)[follower.ownId] !== (follower as unknown)
  }

  /** It is over: who has not left is told so. */
  function conclude(follower: PeersFollower, type = MessageType.Complete, payload?: unknown) {
    if (follower.isOver) return
    follower.isOver = true
    broadcaster.leave(follower)
    const { peer, ownId } = follower
    if (!isLeft(follower)) {
      delete subscriptionsOf(peer)[ownId]
      answer(peer, ownId, type, payload)
    }
    finish(peer, NOTHING_OWED)
  }

  function answer({ socket }: Peer, id: string, type: MessageType, payload?: unknown) {
    if (socket.readyState === socket.OPEN) socket.send(JSON.stringify({ id, type, payload }))
  }

  function refuseOperation({ socket }: Peer, id: string, reason: unknown) {
    if (socket.readyState !== socket.OPEN) return
    const error = outcomes.bare(outcomes.present(reason, newRequestId()))
    socket.send(stringifyMessage({ id, type: MessageType.Error, payload: [error.toJSON()] }))
  }

  /** It takes nothing any more, a goodbye neither. */
  function giveUp(socket: WebSocket) {
    metrics.slowSocket()
    socket.terminate()
  }

  return {
    protocol,
    take,
    /** Operations that are neither subscriptions nor answered yet. */
    get running() {
      return running
    },
  }
}

function callerOf(peer: Peer) {
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

/** Undefined where nothing is left: an empty Map weighs more than the rest of a peer. */
function without<Value>(entries: Map<string, Value> | undefined, id: string) {
  entries?.delete(id)
  return entries?.size ? entries : undefined
}

const subscriptionsOf = ({ connection }: Peer) => (connection as Connection).subscriptions

/** Followers are told by their group; the protocol asks only whether there is one to leave. */
function notIterated(): never {
  throw new Error('a follower is not iterated')
}

/** Null for what no client has to say: the protocol itself knows a server's messages too, and fails on them. */
function readMessage(data: string) {
  try {
    const message = parseMessage(data)
    return CLIENTS_MESSAGES.has(message.type) ? message : null
  } catch {
    return null
  }
}

const noOperation = () =>
  badInput({
    path: ['operationName'],
    message: 'must name an operation of the document where it has not just one',
  })

const tooMany = () =>
  new Fault('RATE_LIMITED', `A socket may run ${OPERATIONS_AT_ONCE} operations at once.`, {
    retryAfterSeconds: 1,
  })

/** A stream's last error comes wrapped by the protocol. */
function known(error: GraphQLError): GraphQLError {
  return error.originalError instanceof GraphQLError ? error.originalError : error
}

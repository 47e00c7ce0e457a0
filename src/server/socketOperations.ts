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
import type { Broadcaster, Following } from './broadcast/broadcaster.ts'
import { createDelivery } from './broadcast/delivery.ts'
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

/** A page follows a section, a sale, a place, a hold and an order. */
const OPERATIONS_AT_ONCE = 50

const CLIENTS_MESSAGES: ReadonlySet<string> = new Set([
  MessageType.ConnectionInit,
  MessageType.Ping,
  MessageType.Pong,
  MessageType.Subscribe,
  MessageType.Complete,
])

/** One socket. */
export interface Peer {
  readonly socket: WebSocket
  readonly addressOf: () => string | null
  /** The protocol's own view of it, once it has said who it is. */
  connection?: Connection
  credentials: Credentials
  identity: Identity
  /** Tokens of admissions that its queue positions delivered, by event. */
  readonly admissions: Map<string, string>
  /** Operations of every kind that have not ended: those that run on after their client left them as well. */
  operations: number
  /** Those among them that are no subscriptions: each is owed an answer. */
  owed: number
  /** Operations that wait for their turn, by id: the protocol has not heard of them yet. */
  readonly queued: Map<string, Begun>
  /** What has been handed to the protocol and has not ended, by id. */
  readonly unended: Map<string, Promise<void>>
  /** What the message that is being handed to the protocol begins; the protocol itself knows operations by ids alone. */
  beginning: Begun
  isAlive: boolean
}

interface Begun {
  isOwed: boolean
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
    async onConnect(connection) {
      const { extra, connectionParams } = connection
      extra.connection = connection
      extra.credentials = credentialsOf(connectionParams)
      extra.identity = await identities.identify(extra.credentials.authorization)
      // 4403, after which clients come back with a new token.
      return !extra.identity.hasBadToken
    },
    onSubscribe: prepare,
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
    { extra }: Connection,
    id: string,
    { query, operationName, variables }: SubscribePayload,
  ): Promise<Operation | GraphQLError[]> {
    const { beginning } = extra
    const requestId = newRequestId()
    try {
      const context = contextOf({ ...extra, app, requestId })
      const { schema, parse, validate, contextFactory, execute, subscribe } = graphql.getEnveloped(context)
      const document = parse(query)
      const errors = validate(schema, document)
      if (errors.length > 0) return errors.map((error: unknown) => outcomes.present(error, requestId))
      const operation = getOperationAST(document, operationName)
      if (!operation) throw noOperation()
      // A subscription owes no answer: whoever has one only is sent elsewhere at once.
      const isSubscription = operation.operation === 'subscription'
      if (!isSubscription) begin(extra, beginning)
      return {
        schema,
        document,
        operationName,
        variableValues: variables,
        contextValue: await contextFactory(),
        execute,
        subscribe,
        ...(isSubscription && { delivery: createDelivery(extra.socket, id, () => giveUp(extra)) }),
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
    if (message.type === MessageType.Complete && peer.queued.delete(message.id)) return
    if (message.type !== MessageType.Subscribe) return handle(data)
    const { id, payload } = message
    if (peer.queued.has(id))
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
      peer.beginning = begun
      if (isFollowed(peer, message)) return follow(peer, message, begun)
      // Calls `prepare` before it first waits.
      return untilEnded(peer, id, handle(data)).finally(() => finish(peer, begun))
    }
    const { of, lasts } = kindOf(payload)
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
    return isLeft ? unended.get(id) : undefined
  }

  async function untilEnded({ connection, unended }: Peer, id: string, ending: Promise<void>) {
    if (connection === undefined || unended.has(id)) return ending
    unended.set(
      id,
      ending.catch(() => {}),
    )
    return ending.finally(() => unended.delete(id))
  }

  /** Whoever left it while it waited, or has gone, is not served. From now on the protocol knows it. */
  function isAwaited({ queued, socket }: Peer, id: string, begun: Begun): boolean {
    return queued.get(id) === begun && queued.delete(id) && socket.readyState === socket.OPEN
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
   * Runs what a group tells. The protocol knows it as one of its own, so that leaving it, using its id twice and
   * closing the socket are as ever; but it does not wait for it, which would keep the whole request as long as it lasts.
   */
  async function follow(peer: Peer, { id, payload }: SubscribeMessage, begun: Begun) {
    const { subscriptions } = peer.connection as Connection
    let members: AsyncIterableIterator<never> | undefined
    let isLeft = false
    // From the first moment on, and of its own: whoever leaves, or whose socket closes, while it is being made is known
    // to have left, whatever the id stands for by then.
    subscriptions[id] = {
      async return() {
        isLeft = true
        return members?.return?.()
      },
      [Symbol.asyncIterator]: () => members,
    } as never
    const answer = (type: MessageType, answered?: unknown) => {
      if (isLeft || peer.socket.readyState !== peer.socket.OPEN) return
      peer.socket.send(JSON.stringify({ id, type, payload: answered }))
    }
    const end = () => {
      if (!isLeft) delete subscriptions[id]
      finish(peer, begun)
    }
    const operation = await prepare(peer.connection as Connection, id, payload)
    if (Array.isArray(operation)) {
      answer(MessageType.Error, shown(operation))
      return end()
    }
    const result = (await operation.subscribe(operation)) as AsyncIterableIterator<never> | ExecutionResult
    if (!(Symbol.asyncIterator in result)) {
      answer(MessageType.Next, { ...result, errors: shown(result.errors ?? []) })
      answer(MessageType.Complete)
      return end()
    }
    members = result
    if (isLeft) void result.return?.()
    result.next().then(
      () => {
        answer(MessageType.Complete)
        end()
      },
      (error: GraphQLError) => {
        answer(MessageType.Error, shown([error]))
        end()
      },
    )
  }

  function refuseOperation({ socket }: Peer, id: string, reason: unknown) {
    if (socket.readyState !== socket.OPEN) return
    const error = outcomes.bare(outcomes.present(reason, newRequestId()))
    socket.send(stringifyMessage({ id, type: MessageType.Error, payload: [error.toJSON()] }))
  }

  /** It takes nothing any more, a goodbye neither. */
  function giveUp({ socket }: Peer) {
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

/**
 * All that we use of graphql-ws. No other file of src imports it. test/server/sockets/protocol.test.ts checks what this
 * file relies on, and fails where a new version changes it:
 *
 * - `opened(socket, extra)` calls `socket.onMessage` before it returns. The promise of a subscribe message settles when its
 *   operation has ended, also where the client has left it.
 * - `onSubscribe` gets the id of the message, and is called only for an id that is not in use.
 * - The function that `opened` returns leaves all subscriptions of the socket.
 * - An operation that was left and still runs shares its id with the next one: results would reach the wrong
 *   operation. So the caller waits for `leftUnder` before it begins an operation.
 * - `connectionInitWaitTimeout: 0` starts no timer.
 *
 * One socket costs one object (bench/follower-memory.ts), so the functions take the socket as an argument.
 */
import { type ExecutionArgs, GraphQLError } from 'graphql'
import {
  CloseCode,
  type Context as Connection,
  handleProtocols,
  MessageType,
  makeServer,
  parseMessage,
  stringifyMessage,
} from 'graphql-ws'
import type { WebSocket } from 'ws'
import type { MaybePromise } from '../../async/maybePromise.ts'
import type { FinishedResult } from '../graphql/outcomes.ts'
import { send } from './unread.ts'

export { CloseCode, handleProtocols, MessageType }

/** A client that exceeds a bound would exceed it again after it reconnects: clients give up after this code. */
export const TOO_MANY_REQUESTS = CloseCode.TooManyInitialisationRequests

/** The state that graphql-ws and this file keep of one socket. */
export interface ProtocolSocket<Operation extends ProtocolOperation> {
  readonly socket: WebSocket
  readonly protocol: string
  /** Called by graphql-ws. */
  send(data: string): Promise<void>
  close(code: number, reason: string): void
  onMessage(handle: Handle): void
  /** Passes a message to graphql-ws. */
  handle: Handle
  /** Reports to graphql-ws that the socket is closed. */
  closed: (code: number, reason: string) => Promise<void>
  /** Set from the greeting on. */
  connection: { readonly acknowledged: boolean } | undefined
  /** The operations that graphql-ws runs, by id, until they have ended; undefined where there are none. */
  running: Map<string, Operation> | undefined
}

type Handle = (data: string) => Promise<void>

export interface ProtocolOperation {
  readonly id: string
  /** The client has left it. */
  isLeft: boolean
  /** Settles when it has ended; set while graphql-ws runs it. */
  ended: Promise<void> | undefined
}

export interface ProtocolHooks<Peer, Operation, Prepared extends ExecutionArgs> {
  /** False refuses the connection with 4403. */
  greet(peer: Peer): Promise<boolean>
  prepare(peer: Peer, operation: Operation): Prepared | readonly GraphQLError[]
  run(prepared: Prepared): MaybePromise<FinishedResult>
  subscribe(prepared: Prepared): Promise<AsyncIterable<FinishedResult> | FinishedResult>
  /** The operation has its answer, which may wait until the client reads it. */
  answered(operation: Operation): void
  /** The errors as a client receives them. */
  shown(errors: readonly GraphQLError[]): readonly GraphQLError[]
}

/** The greeting without its payload, which graphql-ws would keep. We keep only the credentials. */
const GREETING = stringifyMessage({ type: MessageType.ConnectionInit })

const CLIENT_MESSAGES: ReadonlySet<string> = new Set([
  MessageType.ConnectionInit,
  MessageType.Ping,
  MessageType.Pong,
  MessageType.Subscribe,
  MessageType.Complete,
])

/** The client's message; null for any other data. graphql-ws also parses messages of servers, and fails on them. */
export function readMessage(data: string) {
  try {
    const message = parseMessage(data)
    return CLIENT_MESSAGES.has(message.type) ? message : null
  } catch {
    return null
  }
}

export type ServerMessage =
  | { readonly type: MessageType.Next; readonly payload: FinishedResult }
  | { readonly type: MessageType.Error; readonly payload: readonly GraphQLError[] }
  | { readonly type: MessageType.Complete }

/** Sends a message of an operation that graphql-ws does not run; nothing where the socket is closing. */
export function sendMessage(socket: WebSocket, id: string, message: ServerMessage): void {
  if (socket.readyState === socket.OPEN) send(socket, JSON.stringify({ id, ...message }))
}

/** The methods that graphql-ws calls. All sockets share them: a closure for each would cost memory. */
export const SOCKET_METHODS = {
  send(this: { readonly socket: WebSocket }, data: string): Promise<void> {
    const { socket } = this
    // A failed send means that the socket is closing. The operation still ends in order.
    return new Promise((resolve) => send(socket, data, resolve))
  },
  close(this: { readonly socket: WebSocket }, code: number, reason: string): void {
    this.socket.close(code, reason)
  },
  onMessage(this: { handle: Handle }, handle: Handle): void {
    this.handle = handle
  },
  /** Until `open`. */
  handle: async () => {},
  closed: async () => {},
}

/** Runs the operations of sockets by graphql-ws. */
export function createProtocol<
  Operation extends ProtocolOperation,
  Peer extends ProtocolSocket<Operation>,
  Prepared extends ExecutionArgs,
>(hooks: ProtocolHooks<Peer, Operation, Prepared>) {
  const server = makeServer<Record<string, unknown>, Peer>({
    // sockets.ts closes sockets that do not greet.
    connectionInitWaitTimeout: 0,
    onConnect(connection: Connection<Record<string, unknown>, Peer>) {
      connection.extra.connection = connection
      return hooks.greet(connection.extra)
    },
    onSubscribe({ extra }, id) {
      const operation = extra.running?.get(id)
      if (!operation) throw new Error('graphql-ws subscribes to an operation that was not begun')
      return hooks.prepare(extra, operation)
    },
    // graphql-ws passes on what `prepare` returned.
    execute: (args) => hooks.run(args as Prepared),
    subscribe: (args) => hooks.subscribe(args as Prepared),
    onNext({ extra }, id, _payload, _args, { errors, ...result }) {
      reportAnswer(extra, id)
      return errors && { ...result, errors: hooks.shown(errors).map((error) => error.toJSON()) }
    },
    onError({ extra }, id, _payload, errors) {
      reportAnswer(extra, id)
      return hooks.shown(errors.map(unwrapped)).map((error) => error.toJSON())
    },
  })

  function reportAnswer(peer: Peer, id: string) {
    const operation = peer.running?.get(id)
    if (operation) hooks.answered(operation)
  }

  /** True where graphql-ws would accept a new operation under this id. */
  function accepts(peer: Peer, id: string): boolean {
    return peer.connection?.acknowledged === true && !peer.running?.has(id)
  }

  return {
    accepts,
    open(peer: Peer): void {
      peer.closed = server.opened(peer, peer)
    },
    greet: (peer: Peer): Promise<void> => peer.handle(GREETING),
    /** Passes a ping or a pong. */
    pass: (peer: Peer, data: string): Promise<void> => peer.handle(data),
    /** Leaves the operation of this id. */
    leave(peer: Peer, id: string, data: string): Promise<void> {
      const operation = peer.running?.get(id)
      if (operation) operation.isLeft = true
      return peer.handle(data)
    },
    /** Settles when the operation that the client left under this id has ended; undefined where there is none. */
    leftUnder(peer: Peer, id: string): Promise<void> | undefined {
      const operation = peer.running?.get(id)
      return operation?.isLeft ? operation.ended : undefined
    },
    /** Runs the operation of a subscribe message, until it has ended and all of it is sent. */
    begin(peer: Peer, operation: Operation, data: string): Promise<void> {
      // graphql-ws closes the socket, with the code of the reason.
      if (!accepts(peer, operation.id)) return peer.handle(data)
      peer.running ??= new Map()
      peer.running.set(operation.id, operation)
      const ending = peer.handle(data).finally(() => {
        peer.running?.delete(operation.id)
        // An empty Map weighs more than the rest of a peer.
        if (peer.running?.size === 0) peer.running = undefined
      })
      operation.ended = ending.catch(() => {})
      return ending
    },
    /** Closes the socket of a client that uses an id twice. */
    refuseDuplicate(peer: Peer, id: string): void {
      peer.close(CloseCode.SubscriberAlreadyExists, `Subscriber for ${id} already exists`)
    },
  }
}

/** graphql-ws wraps the error that ends a stream. */
function unwrapped(error: GraphQLError): GraphQLError {
  return error.originalError instanceof GraphQLError ? error.originalError : error
}

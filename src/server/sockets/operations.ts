import type { GraphQLError } from 'graphql'
import type { App } from '../../app.ts'
import { inBackground } from '../../async/background.ts'
import type { MaybePromise } from '../../async/maybePromise.ts'
import { Fault } from '../../sale/faults.ts'
import type { Identities } from '../auth/identity.ts'
import type { Broadcaster } from '../broadcast/broadcaster.ts'
import { isRefused, type ParsedOperation, type Pipeline, type PreparedOperation } from '../graphql/lanes.ts'
import type { Outcomes } from '../graphql/outcomes.ts'
import type { Priority } from '../graphql/priority.ts'
import { contextOf, credentialsOf } from '../graphql/requestContext.ts'
import { newRequestId } from '../graphql/requestId.ts'
import { boundedAddress } from '../http/clientAddress.ts'
import type { AccountShares } from '../http/limits/accountShares.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { BOUNDS } from './bounds.ts'
import { createFollowers } from './followers.ts'
import type { OpenSockets } from './openSockets.ts'
import { callerOf, type Peer, type PendingOperation } from './peer.ts'
import {
  CloseCode,
  createProtocol,
  MessageType,
  readMessage,
  sendMessage,
  TOO_MANY_REQUESTS,
} from './protocol.ts'
import { createUnansweredOperations } from './unansweredOperations.ts'
import { isUnread, whenRead } from './unread.ts'

export interface OperationsDeps {
  app: App
  pipeline: Pipeline
  identities: Identities
  broadcaster: Broadcaster
  outcomes: Outcomes
  metrics: Metrics
  priority: Priority
  accountShares: AccountShares
  openSockets: OpenSockets
  /** Called when an operation of this socket that had to be answered has ended. */
  onAnswered(peer: Peer): void
}

type Subscribe = Extract<ReturnType<typeof readMessage>, { type: MessageType.Subscribe }>

/** Runs the operations of sockets: in the order of the priority classes, by graphql-ws or by a group. */
export function createOperations(deps: OperationsDeps) {
  const { app, pipeline, identities, broadcaster, outcomes, metrics, priority, accountShares } = deps
  const { openSockets, onAnswered } = deps
  const unanswered = createUnansweredOperations(onAnswered)
  const followers = createFollowers({
    broadcaster,
    pipeline,
    outcomes,
    metrics,
    unanswered,
    prepare,
    shown,
  })
  const protocol = createProtocol<PendingOperation, Peer, PreparedOperation>({
    async greet(peer) {
      const identity = await identities.identify(peer.credentials.authorization)
      if (peer.socket.readyState !== peer.socket.OPEN) return false
      if (identity.account && !openSockets.enterAccount(identity.account.id)) {
        metrics.socketRefused('account')
        peer.close(TOO_MANY_REQUESTS, 'The account has too many sockets')
        return false
      }
      peer.identity = identity
      // After 4403 clients connect again with a new token.
      return !identity.hasBadToken
    },
    prepare,
    run: pipeline.run,
    subscribe: pipeline.subscribe,
    answered: ({ onAnswer }) => onAnswer?.(),
    shown,
  })

  const addressOf = ({ address }: Peer) => boundedAddress(address, app.env.trustedProxies)

  function shown(errors: readonly GraphQLError[]): GraphQLError[] {
    return errors.map(outcomes.withoutHttpHints)
  }

  function prepare(peer: Peer, operation: PendingOperation): PreparedOperation | readonly GraphQLError[] {
    const requestId = newRequestId()
    try {
      const context = contextOf({ ...callerOf(peer), app, requestId })
      const prepared = pipeline.prepare(operation.parsed, context)
      // A subscription has to be answered by no message: a draining server closes its socket at once.
      if (!isRefused(prepared) && operation.parsed.type !== 'subscription') unanswered.begin(peer, operation)
      return prepared
    } catch (error) {
      return [outcomes.present(error, requestId)]
    }
  }

  /** Ends an operation that does not run, with the reason in the contract's codes. */
  function refuse({ socket }: Peer, id: string, reason: unknown) {
    const payload = shown([outcomes.present(reason, newRequestId())])
    sendMessage(socket, id, { type: MessageType.Error, payload })
  }

  /** Handles one message; resolves when its operation has ended and all of it is sent. */
  async function take(peer: Peer, data: string) {
    const message = readMessage(data)
    if (!message) return peer.close(CloseCode.BadRequest, 'Invalid message received')
    switch (message.type) {
      case MessageType.ConnectionInit:
        if (!peer.connection) peer.credentials = credentialsOf(message.payload)
        return protocol.greet(peer)
      case MessageType.Subscribe:
        return subscribe(peer, message, data)
      case MessageType.Complete:
        if (stopWaiting(peer, message.id) || followers.leave(peer, message.id)) return
        return protocol.leave(peer, message.id, data)
      default:
        return protocol.pass(peer, data)
    }
  }

  async function subscribe(peer: Peer, { id, payload }: Subscribe, data: string) {
    if (id.length > BOUNDS.idLength) return peer.close(CloseCode.BadRequest, 'The id is too long')
    if (peer.waiting?.has(id)) return protocol.refuseDuplicate(peer, id)
    // graphql-ws never sees it, so its memory for this socket is bounded too.
    if (peer.operations === BOUNDS.operations) return refuse(peer, id, tooManyOperations())
    const { query, operationName, variables, extensions } = payload
    let parsed: ParsedOperation
    try {
      parsed = pipeline.parse({ query, operationName, variables, extensions }, () => addressOf(peer))
    } catch (error) {
      return refuse(peer, id, error)
    }
    const state = { isUnanswered: false, isLeft: false, ended: undefined, onAnswer: undefined }
    return schedule(peer, { id, parsed, ...state }, data)
  }

  async function schedule(peer: Peer, operation: PendingOperation, data: string) {
    const { id, parsed } = operation
    const isSubscription = parsed.type === 'subscription'
    peer.operations++
    let ending: Promise<void> | undefined
    const begin = async () => {
      const before = protocol.leftUnder(peer, id)
      if (before) await before
      if (!isAwaited(peer, operation)) return unanswered.finish(peer, operation)
      if (followers.has(peer, id)) {
        protocol.refuseDuplicate(peer, id)
        return unanswered.finish(peer, operation)
      }
      if (followers.takes(operation) && protocol.accepts(peer, id)) return followers.follow(peer, operation)
      return protocol.begin(peer, operation, data).finally(() => unanswered.finish(peer, operation))
    }
    /** False where the client does not read: the operation gives its slot back. */
    const take = (): MaybePromise<boolean> => {
      if (isUnread(peer.socket)) return false
      // A subscription takes a slot only for a moment: it would keep the slot from other operations.
      if (isSubscription) return true
      return accountShares.run(parsed.class, peer.identity.account?.id ?? null, () => {
        // The slot ends with the answer: the client may read it as late as it likes.
        const answered = new Promise<void>((resolve) => {
          operation.onAnswer = resolve
        })
        ending = begin()
        return Promise.race([answered, ending]).then(() => true)
      })
    }
    peer.waiting ??= new Map()
    peer.waiting.set(id, operation)
    try {
      do await whenRead(peer.socket)
      while (!(await priority.run(parsed.class, take, parsed.eventId)))
    } catch (error) {
      if (ending) throw error
      unanswered.finish(peer, operation)
      if (isAwaited(peer, operation)) refuse(peer, id, error)
      return
    }
    // A subscription begins in no slot.
    await (ending ?? inBackground(begin))
  }

  return {
    open: protocol.open,
    take,
    closed(peer: Peer, code: number, reason: string): Promise<void> {
      followers.leaveAll(peer)
      if (peer.identity.account) openSockets.leaveAccount(peer.identity.account.id)
      return peer.closed(code, reason)
    },
    /** Queries and mutations that are not answered yet. */
    get running() {
      return unanswered.running
    },
  }
}

/** Ends the wait of the operation. False where the client left it, or the socket is closed. */
function isAwaited(peer: Peer, operation: PendingOperation): boolean {
  if (peer.waiting?.get(operation.id) !== operation) return false
  stopWaiting(peer, operation.id)
  return peer.socket.readyState === peer.socket.OPEN
}

/** False where no operation of this id waited. */
function stopWaiting(peer: Peer, id: string): boolean {
  const waited = peer.waiting?.delete(id) ?? false
  // An empty Map weighs more than the rest of a peer.
  if (peer.waiting?.size === 0) peer.waiting = undefined
  return waited
}

const tooManyOperations = () =>
  new Fault('RATE_LIMITED', `A socket may run ${BOUNDS.operations} operations at once.`, {
    retryAfterSeconds: 1,
  })

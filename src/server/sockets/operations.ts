import { getOperationAST } from 'graphql'
import { CloseCode, MessageType, makeServer, type SubscribeMessage, stringifyMessage } from 'graphql-ws'
import type { App } from '../../app.ts'
import { Fault } from '../../sale/faults.ts'
import type { Identities } from '../auth/identity.ts'
import type { Broadcaster } from '../broadcast/broadcaster.ts'
import type { Graphql } from '../graphql/graphql.ts'
import type { Outcomes } from '../graphql/outcomes.ts'
import { classOf, type Priority } from '../graphql/priority.ts'
import { credentialsOf } from '../graphql/requestContext.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { createAnswers } from './answers.ts'
import { readMessage } from './clientMessage.ts'
import { createFollowers } from './followers.ts'
import { NOTHING_OWED, type Peer, type PendingOperation } from './peer.ts'
import { createPreparation, type Prepared } from './preparation.ts'
import { createUnansweredOperations } from './unansweredOperations.ts'

export interface OperationsDeps {
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

/** Without its payload, which the protocol would keep; of that no more is kept than the credentials. */
const GREETING = stringifyMessage({ type: MessageType.ConnectionInit })

/** What sockets ask for, and what becomes of it: beside the protocol stand the priorities and the groups of the broadcaster. */
export function createOperations(deps: OperationsDeps) {
  const { app, graphql, identities, broadcaster, outcomes, metrics, priority, onAnswered } = deps
  const answers = createAnswers(outcomes)
  const owed = createUnansweredOperations(onAnswered)
  const prepare = createPreparation({ app, graphql, outcomes, owed })
  const followers = createFollowers({ broadcaster, outcomes, metrics, answers, owed, prepare })

  const protocol = makeServer<Record<string, unknown>, Peer>({
    // Who says nothing is sent away by sockets.ts.
    connectionInitWaitTimeout: 0,
    async onConnect(connection) {
      const { extra } = connection
      extra.connection = connection
      extra.identity = await identities.identify(extra.credentials.authorization)
      // 4403, after which clients come back with a new token.
      return !extra.identity.hasBadToken
    },
    onSubscribe: ({ extra }, _id, payload) => prepare(extra, payload, extra.beginning),
    execute: (args) => (args as Prepared).execute(args) as never,
    subscribe: (args) => (args as Prepared).subscribe(args) as never,
    onNext: (_connection, _id, _payload, _args, result) =>
      result.errors && { ...result, errors: answers.shown(result.errors) },
    onError: (_connection, _id, _payload, errors) => answers.shown(errors),
  })

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
    const { id } = message
    if (id.length > LONGEST_ID) return peer.socket.close(CloseCode.BadRequest, 'The id is too long')
    if (peer.queued?.has(id))
      return peer.socket.close(CloseCode.SubscriberAlreadyExists, `Subscriber for ${id} already exists`)
    // The protocol never hears of it: what it keeps for each operation does not grow with them.
    if (peer.operations === OPERATIONS_AT_ONCE) return answers.refuse(peer, id, tooMany())
    return inTurn(peer, message, () => handle(data))
  }

  async function inTurn(peer: Peer, message: SubscribeMessage, handle: () => Promise<void>) {
    const { id, payload } = message
    const { query, operationName } = payload
    const document = parsed(query)
    const begun: PendingOperation = { document, isOwed: false }
    const lasts = document !== null && getOperationAST(document, operationName)?.operation === 'subscription'
    peer.operations++
    let hasTurn = false
    const begin = async () => {
      hasTurn = true
      const before = leftUnder(peer, id)
      if (before) await before
      if (!isAwaited(peer, id, begun)) return owed.finish(peer, begun)
      if (followers.takes(peer, message, begun)) return followers.follow(peer, message, begun)
      peer.beginning = begun
      // Calls `prepare` before it first waits.
      const ended = handle()
      peer.beginning = NOTHING_OWED
      return untilEnded(peer, id, ended).finally(() => owed.finish(peer, begun))
    }
    peer.queued ??= new Map()
    peer.queued.set(id, begun)
    try {
      // Of what lasts the beginning alone waits for a turn: the rest would keep others from theirs.
      await priority.run(classOf(document, operationName), lasts ? async () => {} : begin)
    } catch (error) {
      if (hasTurn) throw error
      owed.finish(peer, begun)
      if (isAwaited(peer, id, begun)) answers.refuse(peer, id, error)
      return
    }
    if (lasts) await begin()
  }

  function parsed(query: string) {
    try {
      return graphql.getEnveloped().parse(query)
    } catch {
      return null
    }
  }

  return {
    protocol,
    take,
    /** Operations that are neither subscriptions nor answered yet. */
    get running() {
      return owed.running
    },
  }
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
function isAwaited(peer: Peer, id: string, begun: PendingOperation): boolean {
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

/** Undefined where nothing is left: an empty Map weighs more than the rest of a peer. */
function without<Value>(entries: Map<string, Value> | undefined, id: string) {
  entries?.delete(id)
  return entries?.size ? entries : undefined
}

const tooMany = () =>
  new Fault('RATE_LIMITED', `A socket may run ${OPERATIONS_AT_ONCE} operations at once.`, {
    retryAfterSeconds: 1,
  })

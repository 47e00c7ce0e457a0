import {
  type DocumentNode,
  type ExecutionResult,
  type FieldNode,
  GraphQLError,
  getArgumentValues,
  getOperationAST,
  getVariableValues,
  Kind,
  locatedError,
  type OperationDefinitionNode,
  print,
} from 'graphql'
import type { App } from '../../app.ts'
import type { Broadcast, Watch } from '../../resolvers/broadcast.ts'
import { schema } from '../../resolvers/schema.ts'
import type { Pipeline, PreparedOperation } from '../graphql/lanes.ts'
import type { Outcomes } from '../graphql/outcomes.ts'
import { anonymousContext } from '../graphql/requestContext.ts'
import { newRequestId } from '../graphql/requestId.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { createGroup, type Group, type Member } from './group.ts'

export interface BroadcasterDeps {
  app: App
  pipeline: Pipeline
  outcomes: Outcomes
  metrics: Metrics
}

/** The result for a caller that may follow: the caller then joins the group. */
export interface Admitted {
  readonly group: Group
  readonly watch: Watch | null
}

export interface Follower extends Member {
  /** Set from joining until the end. */
  group: Group | undefined
  stopWatching: (() => void) | undefined
  isOver: boolean
}

interface Request {
  readonly operation: PreparedOperation
  readonly field: FieldNode
  readonly values: Record<string, unknown>
  readonly broadcast: Broadcast<unknown, unknown>
  /** The operation and its variables: equal keys share one group. */
  readonly key: string
}

/**
 * Puts sockets that follow the same operation with the same variables into one group. graphql-ws alone executes and
 * serializes each update for each subscriber, which costs several times as much (bench/fanout.ts).
 */
export function createBroadcaster({ app, pipeline, outcomes, metrics }: BroadcasterDeps) {
  const groups = new Map<string, Promise<Group>>()
  const texts = new WeakMap<DocumentNode, string>()
  let followers = 0
  metrics.gauge(
    'fairgate_broadcast_groups',
    'Groups: subscriptions that several sockets share.',
    () => groups.size,
  )
  metrics.gauge('fairgate_broadcast_followers', 'Subscriptions that a group serves.', () => followers)

  function textOf(document: DocumentNode): string {
    const known = texts.get(document)
    if (known !== undefined) return known
    const text = print(document)
    texts.set(document, text)
    return text
  }

  /** Null for a subscription that is no broadcast, and for faulty variables and arguments, which graphql-js reports. */
  function requestOf(operation: PreparedOperation): Request | null {
    const { document, operationName, variableValues } = operation
    const ast = getOperationAST(document, operationName)
    const found = ast && broadcastIn(ast)
    if (!found) return null
    const { field, definition, broadcast } = found
    const variables = getVariableValues(schema, ast.variableDefinitions ?? [], variableValues ?? {}, {
      maxErrors: 1,
    })
    if (!variables.coerced) return null
    try {
      const values = getArgumentValues(definition, field, variables.coerced)
      const key = JSON.stringify([operationName, variables.coerced, textOf(document)])
      return { operation, field, values, broadcast, key }
    } catch (error) {
      if (error instanceof GraphQLError) return null
      throw error
    }
  }

  async function makeGroup({ operation: first, values, broadcast, key }: Request): Promise<Group> {
    const { atLeast } = broadcast
    // Without the context of the first follower, which the group outlives.
    const operation = { ...first, contextValue: anonymousContext(app, newRequestId()) }
    return createGroup(
      {
        updates: await broadcast.updates(values, app),
        snapshot: (last) => broadcast.whole(last, values, app),
        ...(atLeast && { atLeast: () => atLeast(values, app) }),
        async serialize(value) {
          const { data, errors } = await pipeline.update(operation, value)
          const shown = errors?.map((error) => outcomes.withoutHttpHints(error).toJSON())
          return Buffer.from(`${JSON.stringify({ data, errors: shown })}}`)
        },
      },
      () => groups.delete(key),
    )
  }

  function groupOf(request: Request): Promise<Group> {
    const known = groups.get(request.key)
    if (known) return known
    const made = makeGroup(request)
    groups.set(request.key, made)
    made.catch(() => groups.delete(request.key))
    return made
  }

  async function admitTo(request: Request): Promise<Admitted | ExecutionResult> {
    const { operation, field, values, broadcast } = request
    try {
      const watch = await broadcast.admit(values, operation.contextValue)
      return { group: await groupOf(request), watch }
    } catch (error) {
      return { errors: [locatedError(error, [field], [field.alias?.value ?? field.name.value])] }
    }
  }

  return {
    /** True where a group serves this operation to sockets. */
    takes(document: DocumentNode, operationName?: string | null): boolean {
      const operation = getOperationAST(document, operationName)
      return operation?.operation === 'subscription' && broadcastIn(operation) !== null
    },
    /** Finds the group for a caller that may follow. Null where graphql-js has to refuse the operation. */
    admit(operation: PreparedOperation): Promise<Admitted | ExecutionResult> | null {
      const request = requestOf(operation)
      return request && admitTo(request)
    },
    /** Sends all updates to the follower until it leaves. Calls its `end` when the group or the permission ends. */
    join({ group, watch }: Admitted, follower: Follower): void {
      followers++
      follower.group = group
      group.join(follower)
      const stop = watch?.((fault) => follower.end(fault))
      if (follower.group) follower.stopWatching = stop
      else stop?.()
    },
    /** May be called repeatedly, and for a follower that has not joined. */
    leave(follower: Follower): void {
      const { group, stopWatching } = follower
      if (!group) return
      followers--
      follower.group = undefined
      group.leave(follower)
      stopWatching?.()
    },
  }
}

/** The operation's only field, where that is a broadcast; otherwise null. */
function broadcastIn({ selectionSet }: OperationDefinitionNode) {
  const [field, ...others] = selectionSet.selections
  if (field?.kind !== Kind.FIELD || others.length > 0 || field.directives?.length) return null
  const definition = schema.getSubscriptionType()?.getFields()[field.name.value]
  const broadcast = definition?.extensions.broadcast as Broadcast<unknown, unknown> | undefined
  return definition && broadcast ? { field, definition, broadcast } : null
}

export type Broadcaster = ReturnType<typeof createBroadcaster>

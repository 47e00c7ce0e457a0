import {
  type DocumentNode,
  type ExecutionResult,
  type FieldNode,
  GraphQLError,
  getArgumentValues,
  getOperationAST,
  getVariableValues,
  locatedError,
  type OperationDefinitionNode,
} from 'graphql'
import type { App } from '../../app.ts'
import type { Broadcast, Watch } from '../../resolvers/request/broadcast.ts'
import { schema } from '../../resolvers/schema.ts'
import { badInput } from '../../sale/faults.ts'
import { eventOf } from '../graphql/eventOf.ts'
import type { Pipeline, PreparedOperation } from '../graphql/lanes.ts'
import type { Outcomes } from '../graphql/outcomes.ts'
import { anonymousContext } from '../graphql/requestContext.ts'
import { newRequestId } from '../graphql/requestId.ts'
import { boundedAddress } from '../http/clientAddress.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { createGroup, type Group, type Member } from './group.ts'
import { createGroups } from './groups.ts'
import { rootFieldsOf, shapeOf } from './shape.ts'

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
  /** Operations of one subject and one shape share a group. */
  readonly subject: string
  readonly shape: string
}

/**
 * Puts sockets that follow the same operation with the same variables into one group. graphql-ws alone executes and
 * serializes each update for each subscriber, which costs several times as much (bench/fanout.ts).
 */
export function createBroadcaster({ app, pipeline, outcomes, metrics }: BroadcasterDeps) {
  const groups = createGroups()
  let followers = 0
  metrics.gauge(
    'fairgate_broadcast_groups',
    'Groups: subscriptions that several sockets share.',
    () => groups.size,
  )
  metrics.gauge('fairgate_broadcast_followers', 'Subscriptions that a group serves.', () => followers)

  /** Null for a subscription that is no broadcast, and for faulty variables and arguments, which graphql-js reports. */
  function requestOf(operation: PreparedOperation): Request | null {
    const { document, operationName, variableValues } = operation
    const ast = getOperationAST(document, operationName)
    const found = ast && broadcastIn(document, ast)
    if (!found) return null
    const { fields, field, definition, broadcast } = found
    const variables = getVariableValues(schema, ast.variableDefinitions ?? [], variableValues ?? {}, {
      maxErrors: 1,
    })
    if (!variables.coerced) return null
    try {
      const values = getArgumentValues(definition, field, variables.coerced)
      const subject = JSON.stringify([field.name.value, values])
      const shape = shapeOf(document, fields, variables.coerced)
      return { operation, field, values, broadcast, subject, shape }
    } catch (error) {
      if (error instanceof GraphQLError) return null
      throw error
    }
  }

  async function makeGroup(
    { operation: first, values, broadcast }: Request,
    onEnd: () => void,
  ): Promise<Group> {
    const { atLeast } = broadcast
    // Without the context of the first follower, which the group outlives.
    const operation = { ...first, contextValue: anonymousContext(app, newRequestId()) }
    return createGroup(
      {
        eventId: eventOf(values) ?? '',
        updates: await broadcast.updates(values, app),
        snapshot: (last) => broadcast.whole(last, values, app),
        ...(atLeast && { atLeast: () => atLeast(values, app) }),
        async serialize(value) {
          const { data, errors } = await pipeline.update(operation, value)
          const shown = errors?.map((error) => outcomes.withoutHttpHints(error).toJSON())
          return Buffer.from(`${JSON.stringify({ data, errors: shown })}}`)
        },
      },
      onEnd,
    )
  }

  function groupOf(request: Request): Promise<Group> {
    const { subject, shape, operation } = request
    const address = boundedAddress(operation.contextValue.addressOf(), app.env.trustedProxies)
    return groups.find({ subject, shape, address }, (onEnd) => makeGroup(request, onEnd))
  }

  async function admitTo(request: Request): Promise<Admitted | ExecutionResult> {
    const { operation, field, values, broadcast } = request
    try {
      if (hasRootDirective(operation)) throw badInput(ROOT_DIRECTIVE)
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
      return operation?.operation === 'subscription' && broadcastIn(document, operation) !== null
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

/** The operation's only field, where that is a broadcast; otherwise null. It may stand there more than once, and in fragments. */
function broadcastIn(document: DocumentNode, operation: OperationDefinitionNode) {
  const { fields } = rootFieldsOf(document, operation)
  const [field] = fields
  if (!field || fields.some(({ name }) => name.value !== field.name.value)) return null
  const definition = schema.getSubscriptionType()?.getFields()[field.name.value]
  const broadcast = definition?.extensions.broadcast as Broadcast<unknown, unknown> | undefined
  return definition && broadcast ? { fields, field, definition, broadcast } : null
}

/** Such a subscription cannot share its group with others: the specification of 2025 forbids it. */
const ROOT_DIRECTIVE = { path: [], message: 'the root of a subscription takes no directive' }

function hasRootDirective({ document, operationName }: PreparedOperation): boolean {
  const operation = getOperationAST(document, operationName)
  return operation !== null && operation !== undefined && rootFieldsOf(document, operation).hasDirective
}

export type Broadcaster = ReturnType<typeof createBroadcaster>

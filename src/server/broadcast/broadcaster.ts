import {
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  execute,
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
import type { Plugin } from 'graphql-yoga'
import type { App } from '../../app.ts'
import type { Broadcast, Watch } from '../../resolvers/broadcast.ts'
import type { Context } from '../../resolvers/context.ts'
import { schema } from '../../resolvers/schema.ts'
import type { Outcomes } from '../graphql/outcomes.ts'
import { nobodysContext } from '../graphql/requestContext.ts'
import { newRequestId } from '../http/requestId.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { createGroup, type Group, type Member } from './group.ts'

export interface BroadcasterDeps {
  app: App
  outcomes: Outcomes
  metrics: Metrics
}

/** What a socket asks to follow; whoever is no follower takes the values one by one. */
export type Following = ExecutionArgs & { readonly isFollower?: boolean }

/** What a follower who may follow is answered: he has to join then. */
export interface Admitted {
  readonly group: Group
  readonly watch: Watch | null
}

export interface Follower extends Member {
  /** From his joining to his end. */
  group: Group | undefined
  stopWatching: (() => void) | undefined
  isOver: boolean
}

interface Request {
  readonly args: Following
  readonly field: FieldNode
  readonly values: Record<string, unknown>
  readonly broadcast: Broadcast<unknown, unknown>
  /** The operation and its variables: whoever sends the same is told the same. */
  readonly key: string
}

/**
 * Sockets that follow the same operation with the same variables form one group. graphql-ws alone executes and
 * serializes each event for each subscriber: 66 µs of CPU a message where a bare send takes 14.
 */
export function createBroadcaster({ app, outcomes, metrics }: BroadcasterDeps) {
  const groups = new Map<string, Promise<Group>>()
  const texts = new WeakMap<DocumentNode, string>()
  let followers = 0
  metrics.gauge('fairgate_broadcast_groups', 'Operations that sockets follow together.', () => groups.size)
  metrics.gauge('fairgate_broadcast_followers', 'Subscriptions that are told by a group.', () => followers)

  function textOf(document: DocumentNode): string {
    const known = texts.get(document)
    if (known !== undefined) return known
    const text = print(document)
    texts.set(document, text)
    return text
  }

  /** Null for what is no broadcast, and for what graphql-js has to refuse in its own words. */
  function requestOf(args: Following): Request | null {
    const { document, operationName, variableValues } = args
    const operation = getOperationAST(document, operationName)
    const found = operation && broadcastIn(operation)
    if (!found) return null
    const { field, definition, broadcast } = found
    const variables = getVariableValues(schema, operation.variableDefinitions ?? [], variableValues ?? {}, {
      maxErrors: 1,
    })
    if (!variables.coerced) return null
    try {
      const values = getArgumentValues(definition, field, variables.coerced)
      const key = JSON.stringify([operationName, variables.coerced, textOf(document)])
      return { args, field, values, broadcast, key }
    } catch (error) {
      if (error instanceof GraphQLError) return null
      throw error
    }
  }

  async function makeGroup({ args, field, values, broadcast, key }: Request): Promise<Group> {
    const { document, operationName, variableValues } = args
    const { atLeast } = broadcast
    const requestId = newRequestId()
    const contextValue = nobodysContext(app, requestId)
    const fieldName = `subscription.${field.name.value}`
    return createGroup(
      {
        updates: await broadcast.updates(values, app),
        whole: (last) => broadcast.whole(last, values, app),
        ...(atLeast && { atLeast: () => atLeast(values, app) }),
        async serialize(rootValue) {
          const operation = { schema, document, operationName, variableValues, contextValue, rootValue }
          const { data, errors } = await execute(operation)
          const shown = errors?.map((error) => outcomes.bare(outcomes.present(error, requestId, fieldName)))
          return Buffer.from(`${JSON.stringify({ data, errors: shown?.map((error) => error.toJSON()) })}}`)
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

  async function admit(request: Request): Promise<Admitted | ExecutionResult> {
    const { args, field, values, broadcast } = request
    try {
      const watch = await broadcast.admit(values, args.contextValue as Context)
      return { group: await groupOf(request), watch }
    } catch (error) {
      return { errors: [locatedError(error, [field], [field.alias?.value ?? field.name.value])] }
    }
  }

  const plugin: Plugin<Context> = {
    onSubscribe({ args, setSubscribeFn }) {
      const request = (args as Following).isFollower ? requestOf(args) : null
      if (request) setSubscribeFn(() => admit(request))
    },
  }
  return {
    plugin,
    /** True where sockets that run this operation are told by a group. */
    takes(document: DocumentNode, operationName?: string | null): boolean {
      const operation = getOperationAST(document, operationName)
      return operation?.operation === 'subscription' && broadcastIn(operation) !== null
    },
    /** Tells the follower everything until he leaves; or until it is over for him, which he is told. */
    join({ group, watch }: Admitted, follower: Follower): void {
      followers++
      follower.group = group
      group.join(follower)
      const stop = watch?.((fault) => follower.end(fault))
      if (follower.group) follower.stopWatching = stop
      else stop?.()
    },
    /** However often, and also of one who has not joined. */
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

/** Null where the operation is anything but one field that is a broadcast. */
function broadcastIn({ selectionSet }: OperationDefinitionNode) {
  const [field, ...others] = selectionSet.selections
  if (field?.kind !== Kind.FIELD || others.length > 0 || field.directives?.length) return null
  const definition = schema.getSubscriptionType()?.getFields()[field.name.value]
  const broadcast = definition?.extensions.broadcast as Broadcast<unknown, unknown> | undefined
  return definition && broadcast ? { field, definition, broadcast } : null
}

export type Broadcaster = ReturnType<typeof createBroadcaster>

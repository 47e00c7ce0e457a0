/**
 * The lanes that an operation may take, and the steps that each lane contains.
 *
 *                    fastPost         yoga             socket           group
 *                    JSON by POST     other HTTP: GET, a query, a       subscriptions that
 *                                     SSE, faults of   mutation, or a   many sockets share
 *                                     requests         subscription
 *                    fastPost.ts      yoga.ts          sockets/         broadcast/
 *  size              http/bodies.ts   http/bodies.ts   sockets/bounds   sockets/bounds
 *  trust             parse            by Yoga's hook   parse            parse
 *  parse             parse            parse            parse            parse
 *  priority class    priority.run     priority.run     priority.run     priority.run
 *  identity          identities       identities       at the greeting  at the greeting
 *  context           contextOf        contextOf        contextOf        contextOf
 *  validate          prepare          by Yoga's hook   prepare          prepare
 *  cost              run              run, subscribe   run, subscribe   subscribe
 *  execute           run              run, subscribe   run, subscribe   subscribe; update, once for all
 *  present errors    run              run, subscribe   run, subscribe   subscribe, update
 *  count             run              run, subscribe   run, subscribe   subscribe
 *  no-store          http/            http/            -                -
 *
 * `parse`, `prepare`, `run`, `subscribe` and `update` are this file's pipeline. Put here each new step that every
 * lane needs. Three gates keep it so:
 * - Types: `run` takes only a PreparedOperation, which only this file makes. The lanes send only a FinishedResult, which only
 *   outcomes.ts makes. The exception is yoga.ts: Yoga's hooks have its own types, so its lane casts what the hooks receive.
 * - test/server/graphql/lanes.test.ts checks that no other file executes a client's document, and that only yoga.ts
 *   hooks into Yoga.
 * - The same test checks every step of `STEPS` in every lane of `LANES` over the wire.
 *
 * The fixed document of waiting-room.json (http/publicState.ts) takes no lane: no client writes it.
 */
import {
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  GraphQLError,
  getOperationAST,
  subscribe as graphqlSubscribe,
  type OperationTypeNode,
} from 'graphql'
import type { MaybePromise } from '../../async/maybePromise.ts'
import type { Context } from '../../resolvers/request/context.ts'
import { schema } from '../../resolvers/schema.ts'
import { badInput, Fault } from '../../sale/faults.ts'
import { executeCompiled } from './compiled.ts'
import { costError, VARIABLE_FAULTS } from './cost.ts'
import { createDocuments, type Documents } from './documents.ts'
import { eventOf } from './eventOf.ts'
import { createKeptIntrospection } from './introspection.ts'
import { createNewDocuments } from './newDocuments.ts'
import type { FinishedResult, Outcomes } from './outcomes.ts'
import { type Class, classOf } from './priority.ts'
import { createTrustedDocuments, type TrustedDocuments } from './trustedDocuments.ts'

export const LANES = ['fastPost', 'yoga', 'socket', 'group'] as const
export type Lane = (typeof LANES)[number]

export const STEPS = [
  'bound the size',
  'run trusted documents only',
  'parse within limits',
  'wait in the priority class',
  'identify the caller',
  'validate',
  'limit the cost',
  'present errors',
  'count',
  'forbid caches',
] as const
export type Step = (typeof STEPS)[number]

/** The address of all lanes. */
export const GRAPHQL_PATH = '/graphql'

/** The request of a client. */
export interface OperationParams {
  /** Absent or empty where `extensions` has the hash of a trusted document. */
  readonly query?: string | null
  readonly operationName?: string | null
  readonly variables?: Record<string, unknown> | null
  readonly extensions?: Record<string, unknown> | null
}

export interface ParsedOperation {
  readonly params: OperationParams
  /** The document, or the reason why the text is none. */
  readonly parsed: DocumentNode | GraphQLError
  /** Null where the document has no such operation. */
  readonly type: OperationTypeNode | null
  readonly class: Class
  /** The event that the variables name; undefined where they name none. It need not exist. */
  readonly eventId: string | undefined
}

declare const isPrepared: unique symbol
/** A valid operation with the context of its caller. */
export type PreparedOperation = ExecutionArgs & {
  readonly contextValue: Context
  readonly [isPrepared]: true
}

/** Starts a subscription; returns null to leave it to graphql-js. */
type Start<Stream> = (operation: PreparedOperation) => Promise<Stream | ExecutionResult> | null

/** True where `prepare` returned the errors of an operation that cannot run. */
export function isRefused(
  prepared: PreparedOperation | readonly GraphQLError[],
): prepared is readonly GraphQLError[] {
  return 'length' in prepared
}

/** The steps that all lanes share, in their order. */
export interface Pipeline {
  /**
   * Finds the trusted text, parses within the limits of documents, and finds the priority class. Needs no caller. Throws RATE_LIMITED
   * or OVERLOADED where the time for new documents is spent: newDocuments.ts.
   *
   * @param addressOf by which bounds count the client
   */
  parse(params: OperationParams, addressOf: () => string | null): ParsedOperation
  /** Validates; returns the presented errors of an operation that cannot run. */
  prepare(operation: ParsedOperation, context: Context): PreparedOperation | readonly GraphQLError[]
  /** Runs a query or a mutation. */
  run(operation: PreparedOperation): MaybePromise<FinishedResult>
  /** Starts a subscription: by graphql-js, or by `start` where it takes the operation. */
  subscribe<Stream extends object = never>(
    operation: PreparedOperation,
    start?: Start<Stream>,
  ): Promise<Stream | AsyncIterable<FinishedResult> | FinishedResult>
  /** Executes one update of a subscription for a whole group. Each follower was counted by `subscribe`. */
  update(operation: PreparedOperation, rootValue: unknown): Promise<FinishedResult>
  /** Yoga calls these by its hooks, in the order of `parse` and `prepare`. */
  readonly trusted: TrustedDocuments
  readonly documents: Documents
}

export interface PipelineOptions {
  /** Serves introspection. Default: true. */
  readonly introspection?: boolean
  /** The documents that clients may run, by their ids; null: any. Default: any. */
  readonly trustedDocuments?: ReadonlyMap<string, string> | null
}

/** Throws StartFailed where a trusted document cannot run. */
export function createPipeline(outcomes: Outcomes, options: PipelineOptions = {}): Pipeline {
  const documents = createDocuments(options)
  const trusted = createTrustedDocuments(options.trustedDocuments ?? null, documents)
  const readDocument = createNewDocuments(documents)
  const keptIntrospection = createKeptIntrospection()

  return {
    trusted,
    documents,

    parse(params, addressOf) {
      const text = trusted.textOf(params)
      const parsed =
        text instanceof Fault ? new GraphQLError('', { originalError: text }) : readDocument(text, addressOf)
      const document = parsed instanceof GraphQLError ? null : parsed
      const { operationName } = params
      const operation = document && getOperationAST(document, operationName)
      return {
        params,
        parsed,
        type: operation?.operation ?? null,
        class: classOf(document, operationName),
        eventId: eventOf(params.variables),
      }
    },

    prepare({ params, parsed, type }, context) {
      const errors = faultsOf(parsed, type)
      if (errors.length > 0) return errors.map((error) => outcomes.present(error, context.requestId))
      return {
        schema,
        document: parsed,
        operationName: params.operationName,
        variableValues: params.variables,
        contextValue: context,
      } as unknown as PreparedOperation
    },

    run: (operation) =>
      outcomes.observe(
        operation,
        () => overCost(operation) ?? keptIntrospection(operation, () => executeCompiled(operation)),
      ),

    subscribe: async (operation, start) =>
      outcomes.observe(
        operation,
        async () => overCost(operation) ?? (await start?.(operation)) ?? subscribeByGraphqlJs(operation),
      ),

    update: async (operation, rootValue) =>
      outcomes.presentResult(await execute({ ...operation, rootValue }), operation),
  }

  function faultsOf(parsed: DocumentNode | GraphQLError, type: OperationTypeNode | null) {
    if (parsed instanceof GraphQLError) return [parsed]
    const faults = documents.validate(parsed)
    return faults.length === 0 && type === null ? [noOperation()] : faults
  }
}

function overCost(operation: PreparedOperation): ExecutionResult | null {
  const error = costError(operation)
  return error && { errors: [error] }
}

/** By graphql-js itself: a client that leaves reaches the waiting iterator at once. */
function subscribeByGraphqlJs(operation: PreparedOperation) {
  return graphqlSubscribe({ ...operation, options: { maxCoercionErrors: VARIABLE_FAULTS } })
}

const noOperation = () =>
  badInput({
    path: ['operationName'],
    message: 'must name an operation of the document, unless the document has exactly one',
  })

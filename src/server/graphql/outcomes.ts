import {
  type ExecutionArgs,
  type ExecutionResult,
  GraphQLError,
  getOperationAST,
  Kind,
  type OperationDefinitionNode,
} from 'graphql'
import type { Logger } from 'pino'
import { andThen, type MaybePromise } from '../../async/maybePromise.ts'
import type { Context } from '../../resolvers/request/context.ts'
import { withoutStack } from '../../withoutStack.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { toClientError } from './clientErrors.ts'

declare const isFinished: unique symbol
/** A result whose errors are presented. The lanes send no other result. */
export type FinishedResult = ExecutionResult & { readonly [isFinished]: true }

/** The operation, with the context of its caller. */
type Operation = ExecutionArgs & { readonly contextValue: Context }

/** The outcome of starting an operation: a result, a stream of results, or a stream in another form. */
type Finished<Started> =
  Started extends AsyncIterable<ExecutionResult>
    ? AsyncIterable<FinishedResult>
    : Started extends ExecutionResult
      ? FinishedResult
      : Started

/** Presents the errors of every operation in the contract's codes, logs the errors that are ours, and counts. */
export function createOutcomes({ log, metrics }: { log: Logger; metrics: Metrics }) {
  /** Presented errors are not presented twice. */
  const presented = new WeakSet<object>()

  function present(error: unknown, requestId: string, field?: string): GraphQLError {
    if (error instanceof GraphQLError && presented.has(error)) return error
    const { error: shown, masked } = toClientError(error, requestId)
    if (masked !== undefined) {
      metrics.masked()
      log.error({ err: masked, requestId, field, path: shown.path?.join('.') }, 'an operation failed')
    }
    presented.add(shown)
    return shown
  }

  /** Returns a copy of the error without the hints for the HTTP response. */
  function withoutHttpHints(error: GraphQLError): GraphQLError {
    const { http: _, ...extensions } = error.extensions
    const { nodes, source, positions, path } = error
    const shown = withoutStack(
      () => new GraphQLError(error.message, { nodes, source, positions, path, extensions }),
    )
    presented.add(shown)
    return shown
  }

  function presentErrors(result: ExecutionResult, requestId: string, field?: string): FinishedResult {
    if (!result.errors) return result as FinishedResult
    const errors = result.errors.map((error) => present(error, requestId, field))
    // A result with data is a success to HTTP, even where a part of the data is missing.
    const shown = { ...result, errors: result.data == null ? errors : errors.map(withoutHttpHints) }
    return shown as ExecutionResult as FinishedResult
  }

  /** Returns the stream with presented errors. The error that ends the stream is presented too, and nothing follows it. */
  function presentStream(
    results: AsyncIterable<ExecutionResult>,
    requestId: string,
    field: string,
  ): AsyncIterableIterator<FinishedResult> {
    const inner = results[Symbol.asyncIterator]()
    let hasEnded = false
    const done = { done: true as const, value: undefined }
    return {
      async next() {
        if (hasEnded) return done
        try {
          const result = await inner.next()
          return result.done ? done : { done: false, value: presentErrors(result.value, requestId, field) }
        } catch (error) {
          hasEnded = true
          throw present(error, requestId, field)
        }
      },
      async return() {
        hasEnded = true
        await inner.return?.()
        return done
      },
      [Symbol.asyncIterator]() {
        return this
      },
    }
  }

  return {
    present,
    withoutHttpHints,
    presentErrors,

    /** A result of an operation that is counted already. */
    presentResult: (result: ExecutionResult, operation: Operation): FinishedResult =>
      presentErrors(result, operation.contextValue.requestId, rootFieldOf(operation)),

    /** Starts the operation by `start`, presents its errors, and counts it with the time until its first answer. */
    observe<Started extends object>(
      operation: Operation,
      start: () => MaybePromise<Started>,
    ): MaybePromise<Finished<Started>> {
      const { requestId } = operation.contextValue
      const field = rootFieldOf(operation)
      const startedAt = performance.now()
      return andThen(start(), (started) => {
        const isStream = Symbol.asyncIterator in started
        const shown = isStream
          ? presentStream(started as unknown as AsyncIterable<ExecutionResult>, requestId, field)
          : presentErrors(started, requestId, field)
        const failure = isStream ? undefined : codeOf(shown as ExecutionResult)
        const outcome = failure ?? operation.contextValue.refusal ?? 'ok'
        metrics.operation(field, outcome, (performance.now() - startedAt) / 1_000)
        return shown as Finished<Started>
      })
    },
  }
}

export type Outcomes = ReturnType<typeof createOutcomes>

const rootFields = new WeakMap<OperationDefinitionNode, string>()

/** The first root field: field names are ours and few, operation names are the client's. */
function rootFieldOf({ document, operationName }: ExecutionArgs): string {
  const operation = getOperationAST(document, operationName)
  if (!operation) return 'query.fragment'
  const known = rootFields.get(operation)
  if (known !== undefined) return known
  const field = operation.selectionSet.selections.find((selection) => selection.kind === Kind.FIELD)
  const name = `${operation.operation}.${field?.name.value ?? 'fragment'}`
  rootFields.set(operation, name)
  return name
}

function codeOf({ errors }: ExecutionResult): string | undefined {
  const code = errors?.[0]?.extensions.code
  return typeof code === 'string' ? code : undefined
}

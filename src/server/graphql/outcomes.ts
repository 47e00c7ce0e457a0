import {
  type ExecutionArgs,
  type ExecutionResult,
  GraphQLError,
  getOperationAST,
  Kind,
  type OperationDefinitionNode,
} from 'graphql'
import type { Plugin } from 'graphql-yoga'
import type { Logger } from 'pino'
import { andThen, type MaybePromise } from '../../async/maybePromise.ts'
import type { Context } from '../../resolvers/context.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { tell } from './clientErrors.ts'

/**
 * What becomes of every operation, over HTTP and on sockets alike: its errors are put into the contract's words,
 * logged where they are ours, and counted.
 */
export function createOutcomes({ log, metrics }: { log: Logger; metrics: Metrics }) {
  /** Errors that have been told are told once. */
  const told = new WeakSet<object>()

  function present(error: unknown, requestId: string, field?: string): GraphQLError {
    if (error instanceof GraphQLError && told.has(error)) return error
    const { error: shown, masked } = tell(error, requestId)
    if (masked !== undefined) {
      metrics.masked()
      log.error({ err: masked, requestId, field, path: shown.path?.join('.') }, 'an operation failed')
    }
    told.add(shown)
    return shown
  }

  /** Without the hints for the HTTP response. */
  function bare(error: GraphQLError): GraphQLError {
    const { http: _, ...extensions } = error.extensions
    const { nodes, source, positions, path } = error
    const shown = new GraphQLError(error.message, { nodes, source, positions, path, extensions })
    told.add(shown)
    return shown
  }

  function presentResult<T extends ExecutionResult>(result: T, requestId: string, field?: string): T {
    if (!result.errors) return result
    const errors = result.errors.map((error) => present(error, requestId, field))
    // A result that holds data is a success to HTTP, whatever is missing in it.
    return { ...result, errors: result.data == null ? errors : errors.map(bare) }
  }

  /** The same values; the error that ends them is put into the contract's words, and nothing follows it. */
  function presentEach(values: AsyncIterable<ExecutionResult>, requestId: string, field: string) {
    const inner = values[Symbol.asyncIterator]()
    let ended = false
    const done = { done: true as const, value: undefined }
    return {
      async next(): Promise<IteratorResult<ExecutionResult, undefined>> {
        if (ended) return done
        try {
          const result = await inner.next()
          return result.done ? done : { done: false, value: presentResult(result.value, requestId, field) }
        } catch (error) {
          ended = true
          throw present(error, requestId, field)
        }
      },
      async return() {
        ended = true
        await inner.return?.()
        return done
      },
      [Symbol.asyncIterator]() {
        return this
      },
    }
  }

  /** What running a query or a mutation comes to: presented, and counted. */
  function counted(
    args: ExecutionArgs,
    run: () => MaybePromise<ExecutionResult>,
  ): MaybePromise<ExecutionResult> {
    const context = args.contextValue as Context
    const field = rootFieldOf(args)
    const startedAt = performance.now()
    return andThen(run(), (result) => {
      const shown = presentResult(result, context.requestId, field)
      const outcome = codeOf(shown) ?? context.refusal ?? 'ok'
      metrics.operation(field, outcome, (performance.now() - startedAt) / 1_000)
      return shown
    })
  }

  const plugin: Plugin<Context> = {
    // What failed before it was run has come by nothing else.
    onResultProcess({ result, setResult, serverContext }) {
      if (Array.isArray(result) || Symbol.asyncIterator in result) return
      setResult(presentResult(result as ExecutionResult, (serverContext as unknown as Context).requestId))
    },
    onSubscribe({ args }) {
      const { requestId } = args.contextValue
      const field = rootFieldOf(args)
      const startedAt = performance.now()
      return {
        onSubscribeResult({ result, setResult }) {
          const isStream = Symbol.asyncIterator in result
          const shown = isStream
            ? presentEach(result, requestId, field)
            : presentResult(result, requestId, field)
          setResult(shown as never)
          const outcome = (isStream ? undefined : codeOf(shown as ExecutionResult)) ?? 'ok'
          metrics.operation(field, outcome, (performance.now() - startedAt) / 1_000)
        },
      }
    },
  }

  return { plugin, counted, present, bare }
}

export type Outcomes = ReturnType<typeof createOutcomes>

const rootFields = new WeakMap<OperationDefinitionNode, string>()

/** Names of fields are ours and few; an operation's name is the client's. */
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

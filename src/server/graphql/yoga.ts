import { type ExecutionResult, GraphQLError } from 'graphql'
import { createYoga, type Plugin } from 'graphql-yoga'
import type { Logger } from 'pino'
import type { Context } from '../../resolvers/request/context.ts'
import { schema } from '../../resolvers/schema.ts'
import { Fault } from '../../sale/faults.ts'
import { MALFORMED_REQUEST } from './clientErrors.ts'
import { GRAPHQL_PATH, type Pipeline, type PreparedOperation } from './lanes.ts'
import type { FinishedResult, Outcomes } from './outcomes.ts'

export interface YogaDeps {
  log: Logger
  pipeline: Pipeline
  outcomes: Outcomes
}

/** The HTTP lane for everything that the fast POST lane leaves: GET, server-sent events, and faulty requests. */
export function createYogaLane({ log, pipeline, outcomes }: YogaDeps) {
  const yoga = createYoga<Context>({
    schema,
    graphqlEndpoint: GRAPHQL_PATH,
    landingPage: false,
    // See http/graphiql.ts.
    graphiql: false,
    // We use no cookies, and pages of other origins may not call /graphql.
    cors: false,
    batching: false,
    multipart: false,
    // http/graphqlHttp.ts reads and bounds the body.
    maxRequestBodySize: false,
    // The pipeline caches documents.
    parserAndValidationCache: false,
    maskedErrors: false,
    logging: {
      debug: (...words) => log.trace(words.join(' ')),
      info: (...words) => log.debug(words.join(' ')),
      warn: (...words) => log.warn(words.join(' ')),
      error: (...words) => log.error({ err: words[0] }, 'the GraphQL server failed'),
    },
    plugins: [usePipeline(pipeline, outcomes)],
  })
  return {
    /**
     * Returns the response, and `end`, which the caller must call when the response has ended. Yoga itself does not end a
     * subscription whose results it cannot send: one with an `accept` that does not fit, or of a client that has left.
     */
    async fetch(
      url: string,
      init: { method: string; headers: Record<string, string>; body: string | undefined },
      context: Context,
    ): Promise<{ response: Response; end(): void }> {
      const started: Started = {}
      const withStarted: Context = Object.assign({ [STARTED]: started }, context)
      const response = await yoga.fetch(new yoga.fetchAPI.Request(url, init), withStarted)
      return { response, end: () => void started.results?.return?.().catch(() => {}) }
    },
  }
}

const STARTED = Symbol('started')

/** The results of the subscription that a request has started. */
interface Started {
  results?: AsyncIterator<FinishedResult>
}

async function keepResults(
  { contextValue }: PreparedOperation,
  start: Promise<AsyncIterable<FinishedResult> | FinishedResult>,
): Promise<AsyncIterable<FinishedResult> | FinishedResult> {
  const results = await start
  const { [STARTED]: started } = contextValue as unknown as { [STARTED]: Started }
  if (Symbol.asyncIterator in results) started.results = results[Symbol.asyncIterator]()
  return results
}

/** Makes Yoga run each step by the pipeline. Yoga calls the hooks in this order, so `execute` gets a valid document. */
function usePipeline({ trusted, documents, run, subscribe }: Pipeline, outcomes: Outcomes): Plugin {
  return {
    onParams({ params, setParams }) {
      // Yoga itself refuses a query that is no string, and a request without one.
      if (params.query == null || typeof params.query === 'string') {
        const text = trusted.textOf(params)
        if (text instanceof Fault) throw new GraphQLError('', { originalError: text })
        if (text !== '') setParams({ ...params, query: text })
      }
      const { operationName } = params
      if (operationName == null || typeof operationName === 'string') return
      const extensions = { code: MALFORMED_REQUEST, http: { status: 400 } }
      throw new GraphQLError('The operationName must be a string.', { extensions })
    },
    onParse({ setParseFn }) {
      setParseFn((text: string) => {
        const parsed = documents.parse(text)
        if (parsed instanceof GraphQLError) throw parsed
        return parsed
      })
    },
    onValidate({ setValidationFn }) {
      setValidationFn((_schema, document) => documents.validate(document) as GraphQLError[])
    },
    onExecute: ({ setExecuteFn }) => setExecuteFn((args) => run(args as PreparedOperation)),
    onSubscribe: ({ setSubscribeFn }) =>
      setSubscribeFn((args) => keepResults(args as PreparedOperation, subscribe(args as PreparedOperation))),
    // A request that failed before it ran has passed no other step.
    onResultProcess({ result, setResult, serverContext }) {
      if (Array.isArray(result) || Symbol.asyncIterator in result) return
      const { requestId } = serverContext as unknown as Context
      setResult(outcomes.presentErrors(result as ExecutionResult, requestId))
    },
  }
}

export type YogaLane = ReturnType<typeof createYogaLane>

import { type ExecutionResult, GraphQLError } from 'graphql'
import { createYoga, type Plugin } from 'graphql-yoga'
import type { Logger } from 'pino'
import type { Context } from '../../resolvers/context.ts'
import { schema } from '../../resolvers/schema.ts'
import { MALFORMED_REQUEST } from './clientErrors.ts'
import { GRAPHQL_PATH, type Pipeline, type PreparedOperation } from './lanes.ts'
import type { Outcomes } from './outcomes.ts'

export interface YogaDeps {
  log: Logger
  pipeline: Pipeline
  outcomes: Outcomes
}

/** The HTTP lane for everything that the fast POST lane leaves: GET, server-sent events, and faulty requests. */
export function createYogaLane({ log, pipeline, outcomes }: YogaDeps) {
  return createYoga<Context>({
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
}

/** Makes Yoga run each step by the pipeline. Yoga calls the hooks in this order, so `execute` gets a valid document. */
function usePipeline({ documents, run, subscribe }: Pipeline, outcomes: Outcomes): Plugin {
  return {
    onParams({ params: { operationName } }) {
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
    onSubscribe: ({ setSubscribeFn }) => setSubscribeFn((args) => subscribe(args as PreparedOperation)),
    // A request that failed before it ran has passed no other step.
    onResultProcess({ result, setResult, serverContext }) {
      if (Array.isArray(result) || Symbol.asyncIterator in result) return
      const { requestId } = serverContext as unknown as Context
      setResult(outcomes.presentErrors(result as ExecutionResult, requestId))
    },
  }
}

export type YogaLane = ReturnType<typeof createYogaLane>

import { renderGraphiQL } from '@graphql-yoga/render-graphiql'
import { type ExecutionArgs, subscribe } from 'graphql'
import { createYoga, type Plugin } from 'graphql-yoga'
import type { Logger } from 'pino'
import type { Context } from '../../resolvers/context.ts'
import { schema } from '../../resolvers/schema.ts'
import type { Broadcaster } from '../broadcast/broadcaster.ts'
import { useLimits, VARIABLE_FAULTS } from './documentLimits.ts'
import { createExecute } from './execution.ts'
import type { Outcomes } from './outcomes.ts'

export interface GraphqlDeps {
  log: Logger
  outcomes: Outcomes
  broadcaster: Broadcaster
  /** GraphiQL, for a browser that opens /graphql. */
  withGraphiql: boolean
}

export const GRAPHQL_PATH = '/graphql'

const FIRST_QUERY = `# Anybody can ask this. For what belongs to an account, get a token from POST /dev/token
# and put it in the Headers tab below: {"authorization": "Bearer …"}
{
  eventBySlug(slug: "demo") {
    id
    name
    sale {
      state
      available
    }
  }
}
`

/** The GraphQL engine that HTTP and sockets share: one parser, one set of limits, one way to tell errors. */
export function createGraphql({ log, outcomes, broadcaster, withGraphiql }: GraphqlDeps) {
  return createYoga<Context>({
    schema,
    graphqlEndpoint: GRAPHQL_PATH,
    landingPage: false,
    graphiql: withGraphiql && { title: 'Fairgate', subscriptionsProtocol: 'WS', defaultQuery: FIRST_QUERY },
    renderGraphiQL,
    // Nothing of ours stands in a cookie, and the pages of others have no business here.
    cors: false,
    batching: false,
    multipart: false,
    // The body was read, and bounded, before it came here.
    maxRequestBodySize: false,
    maskedErrors: false,
    logging: {
      debug: (...words) => log.trace(words.join(' ')),
      info: (...words) => log.debug(words.join(' ')),
      warn: (...words) => log.warn(words.join(' ')),
      error: (...words) => log.error({ err: words[0] }, 'the GraphQL server failed'),
    },
    plugins: [useGraphqlJs(outcomes), broadcaster.plugin, useLimits(), outcomes.plugin],
  })
}

/** graphql-js itself: leaving one of its subscriptions reaches the iterator that waits, at once. */
function useGraphqlJs(outcomes: Outcomes): Plugin {
  const execute = createExecute(outcomes)
  return {
    onExecute: ({ setExecuteFn }) => setExecuteFn(execute),
    onSubscribe: ({ setSubscribeFn }) =>
      setSubscribeFn((args: ExecutionArgs) =>
        subscribe({ ...args, options: { maxCoercionErrors: VARIABLE_FAULTS } }),
      ),
  }
}

export type Graphql = ReturnType<typeof createGraphql>

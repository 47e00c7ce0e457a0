import { type DocumentNode, type ExecutionResult, getOperationAST } from 'graphql'
import { createBoundedCache } from '../../async/boundedCache.ts'
import { andThen, type MaybePromise } from '../../async/maybePromise.ts'
import type { Context } from '../../resolvers/context.ts'
import { schema } from '../../resolvers/schema.ts'
import type { HttpHint } from './clientErrors.ts'
import { createExecute } from './execution.ts'
import type { Graphql } from './graphql.ts'
import type { Outcomes } from './outcomes.ts'
import { type Class, classOf } from './priority.ts'

export interface Answer {
  readonly status: number
  readonly headers: Record<string, string>
  readonly body: string
}

/** Clients have a few dozen operations each. */
const KEPT_DOCUMENTS = 1_000
const LONGEST_KEPT = 10_000

export interface FastPost {
  /** What a body asks for; null where it is no request. */
  read(body: string): Params | null
  /** How urgent it is: known before anybody looks at who asks. */
  classOf(params: Pick<Params, 'query' | 'operationName'>): Class
  /** Its answer; null where that is Yoga's to give. */
  answer(params: Params, accept: string | undefined, context: Context): MaybePromise<Answer | null>
}

/**
 * The common case of a POST: a query or mutation that comes as JSON and is answered as JSON. It goes through Yoga's own
 * parse and validate, with all that plugins hook into them, and through what Yoga runs it with (execution.ts); left out are the
 * Request and the Response around them, which cost more than most operations do.
 *
 * Null for everything else, and for all that cannot be run: a body that is no request, a document that does not parse
 * or is not valid, an operation that cannot be told, a subscription, an accept without JSON. What is to be said of
 * those Yoga knows, which is asked the same again.
 */
export function createFastPost({ graphql, outcomes }: { graphql: Graphql; outcomes: Outcomes }): FastPost {
  /** Those that were found valid, by their text: whether one is depends on nothing else. */
  const valid = createBoundedCache<string, DocumentNode>(KEPT_DOCUMENTS / 2)
  const execute = createExecute(outcomes)

  function documentOf(query: string, context: Context): DocumentNode | null {
    const known = valid.get(query)
    if (known) return known
    const { parse, validate } = graphql.getEnveloped(context)
    const document: DocumentNode | null = unlessThrown(() => parse(query))
    if (document === null || validate(schema, document).length > 0) return null
    if (query.length <= LONGEST_KEPT) valid.set(query, document)
    return document
  }

  function run(params: Params, accept: string | undefined, context: Context): MaybePromise<Answer | null> {
    const type = acceptedType(accept)
    if (type === null) return null
    const { query, operationName, variables } = params
    const document = documentOf(query, context)
    if (document === null) return null
    const operation = getOperationAST(document, operationName)
    if (!operation || operation.operation === 'subscription') return null
    const args = { schema, document, contextValue: context, variableValues: variables, operationName }
    return andThen(execute(args), (result) => answerOf(result, type))
  }

  function answerOf(result: ExecutionResult, type: MediaType): Answer {
    const headers = { 'content-type': `${type}; charset=utf-8` }
    if (!result.errors) return { status: 200, headers, body: JSON.stringify(result) }
    let status = 0
    for (const { extensions } of result.errors) {
      const hint = extensions.http as HttpHint | undefined
      Object.assign(headers, hint?.headers)
      // Who asks for application/json is told of what GraphQL itself knows with a 200.
      if (hint?.status !== undefined && !(type === JSON_TYPE && hint.spec))
        status = Math.max(status, hint.status)
    }
    const shown = { ...result, errors: result.errors.map(outcomes.bare) }
    return { status: status || 200, headers, body: JSON.stringify(shown) }
  }

  return {
    read: readParams,
    classOf: ({ query, operationName }) =>
      classOf(
        // What was parsed once Yoga keeps, valid or not.
        valid.get(query) ?? unlessThrown(() => graphql.getEnveloped().parse(query)),
        operationName,
      ),
    answer: run,
  }
}

export interface Params {
  readonly query: string
  readonly operationName?: string | null
  readonly variables?: Record<string, unknown> | null
  readonly extensions?: Record<string, unknown> | null
}

function readParams(body: string): Params | null {
  const params: unknown = unlessThrown(() => JSON.parse(body))
  if (!isObject(params)) return null
  const { query, operationName, variables, extensions, ...others } = params
  const isRequest =
    typeof query === 'string' &&
    (operationName == null || typeof operationName === 'string') &&
    [variables, extensions].every((value) => value == null || isObject(value)) &&
    Object.keys(others).length === 0
  return isRequest ? (params as unknown as Params) : null
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** In the order in which Yoga prefers them where both will do. */
const MEDIA_TYPES = ['application/json', 'application/graphql-response+json'] as const
const [JSON_TYPE] = MEDIA_TYPES
type MediaType = (typeof MEDIA_TYPES)[number]

/** What Yoga would answer in: the first that is asked for. Null where it is neither of ours. */
function acceptedType(accept = '*/*'): MediaType | null {
  for (const range of accept.replace(/\s/g, '').toLowerCase().split(',')) {
    const [asked = '', ...parameters] = range.split(';')
    const charset = parameters.find((parameter) => parameter.includes('charset='))
    if (charset !== undefined && charset !== 'charset=utf-8') continue
    const type = MEDIA_TYPES.find((ours) => asked === ours || asked === 'application/*' || asked === '*/*')
    if (type) return type
  }
  return null
}

function unlessThrown<T>(work: () => T): T | null {
  try {
    return work()
  } catch {
    return null
  }
}

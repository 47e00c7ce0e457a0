import { andThen, type MaybePromise } from '../../async/maybePromise.ts'
import type { Context } from '../../resolvers/request/context.ts'
import type { HttpHint } from './clientErrors.ts'
import { isRefused, type OperationParams, type ParsedOperation, type Pipeline } from './lanes.ts'
import type { FinishedResult, Outcomes } from './outcomes.ts'

export interface Answer {
  readonly status: number
  readonly headers: Record<string, string>
  readonly body: string
}

export interface FastPost {
  /** The operation that a body asks for; null where the body is no request. */
  read(body: string): OperationParams | null
  /** The same for a body that is parsed already. */
  readParsed(body: unknown): OperationParams | null
  /** False where the client accepts no answer of this lane. */
  isAccepted(accept: string | undefined): boolean
  /** The answer; null where the Yoga lane answers instead. */
  answer(
    operation: ParsedOperation,
    accept: string | undefined,
    context: Context,
  ): MaybePromise<Answer | null>
}

/**
 * The lane of the common POST: a query or mutation that comes as JSON and is answered as JSON. It skips Yoga's Request,
 * Response and hooks, which cost more than most operations do (bench/poll.ts).
 *
 * The lane returns null, and the Yoga lane answers, for everything else: a body that is no request, a document that does
 * not parse or is not valid, an unknown operation, a subscription, an accept without JSON.
 */
export function createFastPost(pipeline: Pipeline, outcomes: Outcomes): FastPost {
  function answerOf(result: FinishedResult, type: MediaType): Answer {
    const headers = { 'content-type': `${type}; charset=utf-8` }
    if (!result.errors) return { status: 200, headers, body: JSON.stringify(result) }
    let status = 0
    for (const { extensions } of result.errors) {
      const hint = extensions.http as HttpHint | undefined
      Object.assign(headers, hint?.headers)
      // Clients of application/json get 200 with the errors of GraphQL itself (GraphQL over HTTP).
      if (hint?.status !== undefined && !(type === JSON_TYPE && hint.spec))
        status = Math.max(status, hint.status)
    }
    const shown = { ...result, errors: result.errors.map(outcomes.withoutHttpHints) }
    return { status: status || 200, headers, body: JSON.stringify(shown) }
  }

  return {
    read: (body) => readParams(unlessThrown(() => JSON.parse(body))),
    readParsed: readParams,
    isAccepted: (accept) => acceptedType(accept) !== null,
    answer(operation, accept, context) {
      const mediaType = acceptedType(accept)
      const { type } = operation
      if (mediaType === null || type === null || type === 'subscription') return null
      const prepared = pipeline.prepare(operation, context)
      if (isRefused(prepared)) return null
      return andThen(pipeline.run(prepared), (result) => answerOf(result, mediaType))
    },
  }
}

function readParams(params: unknown): OperationParams | null {
  if (!isObject(params)) return null
  const { query, operationName, variables, extensions, ...others } = params
  const isRequest =
    (typeof query === 'string' || (query == null && isObject(extensions))) &&
    (operationName == null || typeof operationName === 'string') &&
    [variables, extensions].every((value) => value == null || isObject(value)) &&
    Object.keys(others).length === 0
  return isRequest ? (params as unknown as OperationParams) : null
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** In Yoga's order of preference. */
const MEDIA_TYPES = ['application/json', 'application/graphql-response+json'] as const
const [JSON_TYPE] = MEDIA_TYPES
type MediaType = (typeof MEDIA_TYPES)[number]

/** The media type that Yoga would choose: the first accepted one. Null where the client accepts neither of ours. */
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

import { GraphQLError } from 'graphql'
import { isRedisOutage } from '../../redis/outage.ts'
import { Fault, type FaultCode, overloaded } from '../../sale/faults.ts'
import { QueueUnavailable } from '../../sale/ops/deadLetters.ts'
import { isDatabaseOutage, isUnstorableText } from '../../sql/outage.ts'

const STATUS: Readonly<Record<FaultCode, number>> = {
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  ADMISSION_REQUIRED: 403,
  QUEUE_TOKEN_INVALID: 403,
  BAD_USER_INPUT: 400,
  IDEMPOTENCY_KEY_REUSED: 422,
  REQUEST_IN_PROGRESS: 409,
  RATE_LIMITED: 429,
  OVERLOADED: 503,
  NOT_IMPLEMENTED: 501,
}

/** What the GraphQL server calls a request that is none: a body that is no JSON, a query that is no text. */
export const NO_GRAPHQL = 'BAD_REQUEST'

const LONGEST_MESSAGE = 2_000
/** Those who were turned away together do not come back together. */
const JITTER = 0.5

/** What the GraphQL server itself puts beside an error: a status and headers for the response. */
export interface HttpHint {
  status?: number
  headers?: Record<string, string>
  spec?: boolean
}

/** An error as its sender is told it, and what is to be logged of it. */
export interface Told {
  readonly error: GraphQLError
  /** Set where the error is nobody's but ours, and was masked. */
  readonly masked?: unknown
}

/**
 * Turns an error of any kind into one of the contract's codes. Faults keep their words; a document or variables that
 * are wrong are BAD_USER_INPUT; a database or Redis that is away is OVERLOADED; everything else is masked, with the
 * request's id to find it by.
 */
export function tell(error: unknown, requestId: string): Told {
  const located = error instanceof GraphQLError ? error : undefined
  const cause = originOf(error)
  const fault = toFault(cause, located)
  if (!fault) {
    const extensions = { code: 'INTERNAL', requestId, http: { status: 500, spec: true } }
    const message = 'Something went wrong on our side. The request id helps us find it.'
    return { error: newError(message, located, extensions), masked: cause }
  }
  const { code, message } = fault
  const own = jittered(fault)
  const hint = located?.extensions.http as HttpHint | undefined
  const retryAfter = own.retryAfterSeconds
  const http: HttpHint = {
    status: hint?.status ?? STATUS[code],
    headers: {
      ...hint?.headers,
      ...(typeof retryAfter === 'number' && { 'retry-after': String(retryAfter) }),
    },
    // The status of a request that is no GraphQL at all stands whatever the client accepts.
    spec: located?.extensions.code !== NO_GRAPHQL,
  }
  return { error: newError(message, located, { code, ...own, http }) }
}

/** What was thrown, under the wrappings that tell where. */
function originOf(error: unknown): unknown {
  return error instanceof GraphQLError && error.originalError ? originOf(error.originalError) : error
}

function toFault(cause: unknown, located: GraphQLError | undefined): Fault | null {
  if (cause instanceof Fault) return cause
  if (cause instanceof GraphQLError) {
    // While a result is put together, only what points into the document is the caller's: the rest is a value of
    // ours that does not fit its type.
    if (located?.path && !cause.nodes) return null
    return documentFault(located ?? cause)
  }
  if (isDatabaseOutage(cause) || isRedisOutage(cause) || cause instanceof QueueUnavailable)
    return overloaded(2)
  if (isUnstorableText(cause)) return inputFault([], 'a text holds a NUL character, which cannot be stored')
  return null
}

function documentFault({ message }: GraphQLError): Fault {
  // graphql-js names a variable that does not fit as `Variable "$input" got invalid value … at "input.sale.opensAt"; why`,
  // with the value in between, which may be long.
  const value = /^Variable "\$(\w+)" got invalid value .*?(?: at "(\w[^"]*)")?; (.*)$/s.exec(message)
  if (!value) return inputFault([], message)
  const [, variable = '', at, reason = message] = value
  return inputFault(at === undefined ? [variable] : toPath(at), reason)
}

function inputFault(path: (string | number)[], message: string): Fault {
  const short = message.length > LONGEST_MESSAGE ? `${message.slice(0, LONGEST_MESSAGE)}…` : message
  return new Fault('BAD_USER_INPUT', short, { faults: [{ path, message: short }] })
}

/** `input.prices[0].price` → input, prices, 0, price */
function toPath(at: string): (string | number)[] {
  return Array.from(at.matchAll(/([^.[\]]+)|\[(\d+)\]/g), ([, name, index]) => name ?? Number(index))
}

function jittered({ code, extensions }: Fault): Record<string, unknown> {
  const { retryAfterSeconds } = extensions
  if (typeof retryAfterSeconds !== 'number' || (code !== 'OVERLOADED' && code !== 'RATE_LIMITED'))
    return { ...extensions }
  return { ...extensions, retryAfterSeconds: Math.ceil(retryAfterSeconds * (1 + JITTER * Math.random())) }
}

function newError(message: string, located: GraphQLError | undefined, extensions: Record<string, unknown>) {
  return new GraphQLError(message, {
    nodes: located?.nodes,
    source: located?.source,
    positions: located?.positions,
    path: located?.path,
    extensions,
  })
}
